// The application's own requests.

let token = document.querySelector('meta[name="csrf-token"]').content;

// Refusal is the application's own no; SignedOut comes with an event that asks for a sign-in.
export class Refusal extends Error {}
export class SignedOut extends Error {}

async function answer(path, options) {
  const response = await fetch(path, options);
  const isJSON = (response.headers.get('Content-Type') || '').includes('json');
  const body = isJSON ? await response.json() : null;
  if (response.status === 401) {
    document.dispatchEvent(new Event('signed-out'));
    throw new SignedOut();
  }
  if (body && body.errors) {
    throw new Refusal(body.errors[0].message);
  }
  if (!response.ok || !body) {
    throw new Error(`status ${response.status}`);
  }
  token = body.token || token;
  return body;
}

export function get(path, query = {}) {
  const given = Object.entries(query).filter(([, value]) => value !== '' && value !== undefined && value !== null);
  return answer(given.length ? `${path}?${new URLSearchParams(given)}` : path);
}

export function send(method, path, body = {}) {
  return answer(path, {
    method, body: JSON.stringify(body), headers: { 'Content-Type': 'application/json', 'X-CSRF-Token': token },
  });
}
