// What is selected in the page, for this machine's clipboard: the session's own
// clipboard stays with the session's browser.

const most = 200_000; // characters

// In the page: the selected text, but a password's.
const read = `(() => {
  let element = document.activeElement, view = window;
  for (;;) {
    const inner = element?.shadowRoot?.activeElement ?? element?.contentDocument?.activeElement;
    if (!inner) break;
    element = inner;
    view = element.ownerDocument.defaultView;
  }
  const text = element && 'selectionStart' in element && element.selectionStart !== null
    ? (element.type === 'password' ? '' : element.value.slice(element.selectionStart, element.selectionEnd))
    : String(view.getSelection());
  return text.slice(0, ${most});
})()`;

// copy takes the selection over; send is to the shown tab.
export async function copy(send) {
  const {result} = await send('Runtime.evaluate', {expression: read, returnByValue: true});
  if (result?.value) await navigator.clipboard.writeText(result.value);
}
