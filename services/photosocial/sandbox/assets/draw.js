// draw makes an element: draw('a.nav', {href: '/'}, 'Home'). What begins with
// "on" is a listener; a text becomes a text, never markup.
export function draw(what, attributes = {}, ...inside) {
  const [name, ...classes] = what.split('.');
  const element = document.createElement(name);
  element.classList.add(...classes);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith('on')) element.addEventListener(key.slice(2), value);
    else if (value === true) element.setAttribute(key, '');
    else if (value !== false && value !== undefined) element.setAttribute(key, value);
  }
  element.append(...inside.flat().filter(part => part !== undefined));
  return element;
}

const units = [['w', 604800], ['d', 86400], ['h', 3600], ['m', 60]];

// ago says how long ago something was, as briefly as it can be said.
export function ago(time) {
  const seconds = (Date.now() - new Date(time)) / 1000;
  const unit = units.find(([, length]) => seconds >= length);
  return unit ? Math.floor(seconds / unit[1]) + unit[0] : 'now';
}

export const logo = () => draw('p.logo', {}, draw('img', {src: '/assets/fernlight.svg', alt: ''}), 'Fernlight');
