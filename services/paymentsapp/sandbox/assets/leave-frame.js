// The sign-in form stands in a frame; what comes after it does not.
top.location.assign(document.getElementById('leaving').dataset.next);
