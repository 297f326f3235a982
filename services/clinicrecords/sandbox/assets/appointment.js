// The page of an appointment.
import { get, send } from '/assets/api.js';
import { facts, h, longDay, modalities, time } from '/assets/dom.js';

export async function showAppointment({ id, query, go }) {
  const a = await get(`/api/appointments/${id}`);
  const clinic = await get(`/api/clinics/${a.clinic}`);
  const cancel = async () => {
    await send('POST', `/api/appointments/${id}/cancel`);
    go(`/appointments/${id}`);
  };
  return h('section', { id: 'appointment', 'data-appointment': a.id }, h('h1', {}, `Appointment ${a.id}`),
    query.has('booked') ? h('p', { id: 'booked', class: 'good', role: 'status' }, 'The appointment is booked.') : null,
    h('div', { class: 'card' }, facts({
      Client: ['appointment-client', h('a', { href: `/clients/${a.client}` }, a.clientName)], Provider: ['appointment-provider', a.providerName],
      Clinic: ['appointment-clinic', clinic.name], When: ['appointment-time', `${longDay(a.start.slice(0, 10))}, ${time(a.start, clinic.timeZone)} – ${time(a.end, clinic.timeZone)}`],
      How: ['appointment-modality', modalities[a.modality]], Services: ['appointment-services', a.services.map((s) => s.name).join(', ')],
      Room: ['appointment-room', a.room], Status: ['appointment-status', a.status], Notes: ['appointment-notes', a.notes],
    })),
    ['Requested', 'Booked', 'Confirmed'].includes(a.status) ? h('button', { id: 'cancel', class: 'button quiet', type: 'button', click: cancel }, 'Cancel appointment') : null);
}
