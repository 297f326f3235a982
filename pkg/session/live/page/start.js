// Starts the page. When a part of it does not arrive, as when the network changes
// at that moment, all of it is loaded once more.

const anew = performance.getEntriesByType('navigation')[0]?.type === 'reload';

import('./app.js').catch(() => {
  if (!anew) setTimeout(() => location.reload(), 1000);
  else document.getElementById('notice-title').textContent = 'This page did not load. Reload it to try again.';
});
