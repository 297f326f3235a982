// One sheet for all that is asked of the person, one question at a time.

const sheet = document.getElementById('ask');
const part = name => document.getElementById('ask-' + name);

let turn = Promise.resolve();
let current; // takes back what is asked
let single = false; // the field takes one line: the enter key answers

part('field').addEventListener('keydown', event => {
  if (!single || event.key !== 'Enter' || event.isComposing) return;
  event.preventDefault();
  part('yes').click();
});

// ask shows a question and returns the answer: undefined for no; for yes, the
// field's text, or '' without a field.
//   {title, text, yes, no, field, lines, readonly, danger, signal}
// A signal that aborts takes the question back; the answer is undefined then.
export function ask(question) {
  const answer = turn.then(() => show(question));
  turn = answer.catch(() => {});
  return answer;
}

// dismiss answers what is asked now with no.
export function dismiss() { current?.(); }

function show({title, text = '', yes = 'OK', no = 'Cancel', field, lines = 1, readonly = false, danger = false, signal}) {
  if (signal?.aborted) return undefined;
  part('title').textContent = title;
  part('text').textContent = text;
  part('yes').textContent = yes;
  part('yes').classList.toggle('danger', danger);
  part('no').textContent = no;
  part('no').hidden = !no;
  part('field').hidden = field === undefined;
  part('field').readOnly = readonly;
  part('field').value = field ?? '';
  part('field').rows = lines;
  single = lines === 1;
  part('field').setAttribute('aria-label', title);
  return new Promise(resolve => {
    const take = () => sheet.close('');
    current = take;
    signal?.addEventListener('abort', take);
    sheet.returnValue = '';
    sheet.addEventListener('close', () => {
      signal?.removeEventListener('abort', take);
      current = undefined;
      const value = part('field').value;
      part('field').value = '';
      resolve(sheet.returnValue === 'yes' ? (field === undefined ? '' : value) : undefined);
    }, {once: true});
    sheet.showModal();
    if (field !== undefined) part('field').select();
    else part(danger && no ? 'no' : 'yes').focus();
  });
}
