/** Line drawings on a grid of sixteen, all with one pen. */
const drawings = {
  apps: 'M2.75 2.75h4v4h-4zM9.25 2.75h4v4h-4zM2.75 9.25h4v4h-4zM9.25 9.25h4v4h-4z',
  set: 'M2.5 6.25H6v3.5H2.5zM10 2.5h3.5V6H10zM10 10h3.5v3.5H10zM6 8h2M10 4.25H8v7.5h2',
  attention: 'M8 2.5 14 13H2zM8 6.75v2.75M8 11.4v.1',
  differ: 'M2.5 5.5h8M8 3l2.5 2.5L8 8M13.5 10.5h-8M8 8l-2.5 2.5L8 13',
  running: 'M8 2.5a5.5 5.5 0 1 1-5.2 3.7M8 5.25V8l2 1.5',
  project: 'M2.5 4.25v8h11v-6.5h-6l-1.5-2h-3.5z',
  cluster: 'M2.75 3h10.5v3.75H2.75zM2.75 9.25h10.5V13H2.75zM5 4.9h.1M5 11.1h.1',
  namespace: 'M5.5 2.75h-2v10.5h2M10.5 2.75h2v10.5h-2M6.5 8h3',
  search: 'M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9zM10.3 10.3l3.2 3.2',
  sun: 'M8 10.75a2.75 2.75 0 1 0 0-5.5 2.75 2.75 0 0 0 0 5.5zM8 1.5v1.25M8 13.25v1.25M1.5 8h1.25M13.25 8h1.25M3.4 3.4l.9.9M11.7 11.7l.9.9M3.4 12.6l.9-.9M11.7 4.3l.9-.9',
  moon: 'M13.25 9.6A5.5 5.5 0 0 1 6.4 2.75a5.5 5.5 0 1 0 6.85 6.85z',
  screen: 'M2.5 3h11v7.5h-11zM6 13.25h4M8 10.5v2.75',
  refresh: 'M13.25 3v3h-3M12.9 6A5.25 5.25 0 1 0 13.2 9.25',
  stop: 'M4.5 4.5h7v7h-7z',
  down: 'M4 6.25 8 10.25 12 6.25',
  up: 'M4 9.75 8 5.75 12 9.75',
  right: 'M6 4l4 4-4 4',
  close: 'M4 4l8 8M12 4l-8 8',
  copy: 'M5.75 5.75h7.5v7.5h-7.5zM3.5 10.25h-.75v-7.5h7.5v.75',
  tick: 'M3.25 8.5 6.5 11.75 12.75 4.75',
  outward: 'M6.5 3.25h-3.25v9.5h9.5V9.5M9.25 2.75h4v4M13 3 7.75 8.25',
  keyboard: 'M1.75 4.25h12.5v7.5H1.75zM4.25 6.75h.1M6.75 6.75h.1M9.25 6.75h.1M11.75 6.75h.1M5 9.25h6',
  fold: 'M2.5 3h11v10h-11zM6 3v10',
  person: 'M8 7.75a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM3 13.25c.4-2.3 2.3-3.5 5-3.5s4.6 1.2 5 3.5',
  leave: 'M6.5 13.25H3V2.75h3.5M7 8h6.5M10.75 5.25 13.5 8l-2.75 2.75',
  plus: 'M8 3.25v9.5M3.25 8h9.5',
  minus: 'M3.25 8h9.5',
  back: 'M3 6.25h6.5a3.5 3.5 0 0 1 0 7H6M5.75 3.25 2.75 6.25l3 3',
  branch:
    'M4.5 5.25v5.5M4.5 5.25a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3zM4.5 13.75a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3zM11.5 5.25a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3zM11.5 5.25c0 2.5-2 3-7 3.25',
  settings:
    'M2.5 4.5h6M11.5 4.5h2M2.5 11.5h2M7.5 11.5h6M10 6.25a1.75 1.75 0 1 0 0-3.5 1.75 1.75 0 0 0 0 3.5zM6 13.25a1.75 1.75 0 1 0 0-3.5 1.75 1.75 0 0 0 0 3.5z',
  help: 'M8 14a6 6 0 1 0 0-12 6 6 0 0 0 0 12zM6.4 6.3a1.7 1.7 0 1 1 2.5 1.5c-.6.3-.9.7-.9 1.3M8 11.2v.05',
  star: 'M8 2.25 9.75 6l4 .5-3 2.75.8 4L8 11.25 4.45 13.25l.8-4-3-2.75 4-.5z',
  more: 'M3.5 8h.1M8 8h.1M12.5 8h.1',
} as const;

export type IconName = keyof typeof drawings;

/** Beside words only, never instead of them: it is hidden from screen readers. */
export function Icon({ name, size = 16 }: { name: IconName; size?: number }) {
  return (
    <svg className="icon" width={size} height={size} viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      <path d={drawings[name]} />
    </svg>
  );
}
