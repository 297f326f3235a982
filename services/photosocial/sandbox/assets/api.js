// The JSON behind the pages. Whatever changes something carries the session's
// anti-forgery token; a sign-in brings a new one.
let token = document.querySelector('meta[name=csrf-token]').content;

export class Refusal extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

export async function call(method, path, body) {
  const headers = {Accept: 'application/json'};
  if (method !== 'GET') Object.assign(headers, {'X-CSRF-Token': token, 'Content-Type': 'application/json'});
  let response, answer;
  try {
    response = await fetch(path, {method, headers, body: body && JSON.stringify(body)});
    answer = await response.json();
  } catch {
    throw new Refusal(0, 'Something went wrong. Check your connection and try again.');
  }
  if (!response.ok) throw new Refusal(response.status, answer.error);
  if (answer.token) token = answer.token;
  return answer;
}
