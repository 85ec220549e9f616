/** Small pictures beside words. They are never alone: what they stand for is written beside them, or a label of the button. */

const PATHS = {
  imports: 'M12 3v11m0 0 4-4m-4 4-4-4M4 17v2a2 2 0 0 0 2 2h12a2 2 0 0 0 2-2v-2',
  check: 'm5 12.5 4.5 4.5L19 7.5',
  cross: 'M6 6l12 12M18 6 6 18',
  warning: 'M12 9v4m0 3.5v.5M10.3 4.2 2.8 17.5A2 2 0 0 0 4.5 20.5h15a2 2 0 0 0 1.7-3L13.7 4.2a2 2 0 0 0-3.4 0z',
  question: 'M9.2 9a3 3 0 1 1 4.3 2.7c-.9.5-1.5 1.2-1.5 2.3m0 3v.1M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18z',
  undo: 'M4 9h10a6 6 0 0 1 0 12h-3M4 9l4-4M4 9l4 4',
  retry: 'M20 11a8 8 0 1 0-2.3 6.3M20 5v6h-6',
  download: 'M12 4v11m0 0 4-4m-4 4-4-4M5 20h14',
  file: 'M14 3H7a2 2 0 0 0-2 2v14a2 2 0 0 0 2 2h10a2 2 0 0 0 2-2V8zm0 0v5h5',
  arrow: 'M5 12h14m0 0-5-5m5 5-5 5',
  chevron: 'm6 9 6 6 6-6',
  clock: 'M12 7v5l3 2M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18z',
  user: 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zm-7 8a7 7 0 0 1 14 0',
  image: 'M4 5h16v14H4zM8.5 10a1 1 0 1 0 0-2 1 1 0 0 0 0 2zM4 16l5-4 4 3 3-2 4 3',
  items: 'M4 6h16M4 12h16M4 18h16M9 6v12',
  tag: 'M4 4h8l8 8-8 8-8-8zM8 8h.01',
  tree: 'M5 4v13a2 2 0 0 0 2 2h4M5 10h6M14 8h6v4h-6zM14 17h6v4h-6z',
  overview: 'M4 20V11m5.5 9V4m5.5 16v-7m5 7V8',
  feeds: 'M4 8h13m0 0-3.5-3.5M17 8l-3.5 3.5M20 16H7m0 0 3.5-3.5M7 16l3.5 3.5',
  pause: 'M9 5v14M15 5v14',
  play: 'm7 4 13 8-13 8z',
  webhooks: 'M8.5 16H18m-9.8-1.7 4-7M12 3.5a3 3 0 0 1 2.6 4.5l2.9 5.1M18 19a3 3 0 1 0-.5-5.9M8 19a3 3 0 1 1-3-3',
  people:
    'M9 11.5a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zM2.5 20a6.5 6.5 0 0 1 13 0M16 4.8a3.5 3.5 0 0 1 0 6.4M18 14.3a6.5 6.5 0 0 1 3.5 5.7',
  key: 'M7.5 20a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9zm3.2-7.7L20 3m-5 5 3.5 3.5',
  send: 'M21 3 10 14M21 3l-7 18-4-7-7-4z',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  edit: 'm4 20 1-4L16 5l3 3L8 19z',
  filter: 'M4 5h16l-6 8v6l-4-2v-4z',
  save: 'M5 4h11l3 3v12a1 1 0 0 1-1 1H5a1 1 0 0 1-1-1V5a1 1 0 0 1 1-1zm3 0v5h7V4M8 20v-6h8v6',
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg className="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  );
}

/** The sign of the product. */
export function Sign() {
  return (
    <svg className="sign" viewBox="0 0 32 32" aria-hidden="true" focusable="false">
      <rect width="32" height="32" rx="7" className="sign-ground" />
      <path d="M6 20h20l-2.6 5.2a2 2 0 0 1-1.8 1.1H10.4a2 2 0 0 1-1.8-1.1z" className="sign-hull" />
      <path d="M9 11.5h6.2V17H9zM16.8 11.5H23V17h-6.2zM12.9 5.7h6.2v4.5h-6.2z" className="sign-load" />
    </svg>
  );
}
