// Requests of the gateway's own, made as the document: with its cookies, its
// origin and its rules. fetch is this world's, which no page can replace.

async function ask({url, method, headers, body, limit, timeout}) {
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort(), timeout);
  const request = credentials => fetch(url, {method, headers, body, credentials, cache: 'no-store', signal: stop.signal});
  try {
    let response;
    try {
      response = await request('include');
    } catch (error) {
      // Servers that let any origin ask are refused by browsers with cookies.
      const again = /^(GET|HEAD)$/.test(method) && new URL(url).origin !== location.origin && !stop.signal.aborted;
      if (!again) throw error;
      response = await request('omit');
    }
    const answer = {status: response.status, url: response.url, type: response.headers.get('content-type') ?? ''};
    const text = await textUpTo(limit, response);
    if (text === null) return {...answer, failed: 'large'};
    return isJSON(text) ? {...answer, text, json: true} : {...answer, text: text.trim() && '?'};
  } catch {
    return {failed: stop.signal.aborted ? 'late' : 'unanswered'};
  } finally {
    clearTimeout(timer);
    stop.abort(); // what is left of an answer that is too large
  }
}

async function textUpTo(limit, response) {
  const decoder = new TextDecoder();
  let text = '';
  let size = 0;
  for (const reader = response.body?.getReader(); reader;) {
    const {done, value} = await reader.read();
    if (done) break;
    size += value.length;
    if (size > limit) return null;
    text += decoder.decode(value, {stream: true});
  }
  return text + decoder.decode();
}

function isJSON(text) {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function stored(names) {
  const items = {};
  for (const name of names) {
    try {
      const value = localStorage.getItem(name);
      if (value !== null) items[name] = value;
    } catch { /* a document without storage, such as about:blank */ }
  }
  return items;
}
