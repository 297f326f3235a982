// Reading the page for extract and remember: raw values only, which Go then
// matches, maps and converts.

const firstMatch = (row, selector) => selector.by === 'css' ? row.querySelector(selector.value) : query(row, selector)[0];

function readField(row, field) {
  if (field.each) return query(row, field.each).map(inner => readFields(inner, field.fields));
  if (field.fields) return readFields(row, field.fields);
  const element = field.selector ? firstMatch(row, field.selector) : row.documentElement ?? row;
  if (field.as === 'exists') return Boolean(element);
  if (!element) return null;
  if (field.attribute) {
    const value = element.getAttribute(field.attribute);
    return value !== null && field.as === 'url' ? absolute(element, value) : value;
  }
  if (field.property) {
    const value = element[field.property];
    return value === undefined || typeof value === 'object' || typeof value === 'function' ? null : value;
  }
  if (field.as === 'url') return addressOf(element);
  if (field.as === 'boolean' && isToggle(element)) return element.checked;
  return textOf(element);
}

// addressOf is where a link, a picture or a text leads to.
function addressOf(element) {
  const href = element.getAttribute('href');
  if (href !== null && typeof element.href === 'string') return element.href; // made whole by the page already
  return absolute(element, href ?? element.getAttribute('src') ?? textOf(element));
}

function absolute(element, address) {
  try {
    return new URL(address, element.baseURI).href;
  } catch {
    return null;
  }
}

function readFields(row, fields) {
  const values = {};
  for (const field of fields) values[field.name] = readField(row, field);
  return values;
}

// read gathers the rows; with required fields, dotted where they stand in an
// object, it is done when all are there.
const read = goal => within(goal, doc => {
  const rows = goal.each ? query(doc, goal.each) : [doc];
  const data = rows.map(row => readFields(row, goal.fields ?? []));
  const valueAt = name => name.split('.').reduce((row, part) => row?.[part], data[0]);
  const missing = (goal.required ?? []).find(name => valueAt(name) === null || valueAt(name) === '');
  return missing ? {reason: missing, data} : {found: true, data};
});
