// Runs before the first paint, so that a remembered theme never flashes the other one. The switch is kit/theme.ts.
const theme = localStorage.getItem('theme');
if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
