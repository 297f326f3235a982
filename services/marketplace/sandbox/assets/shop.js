// The cookie banner goes away once it is answered, and stays away for a year.
for (const answer of document.querySelectorAll('button[name="consent"]')) {
  answer.addEventListener('click', () => {
    document.cookie = `consent=${answer.value}; path=/; max-age=31536000; samesite=lax`;
    answer.closest('aside').remove();
  });
}
