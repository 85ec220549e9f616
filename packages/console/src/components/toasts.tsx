/** Tells what happened elsewhere: in a corner of the page, aloud, and in the title of a window that nobody looks at. */
import { later, loadSurely, useLater } from './later.js';
import type { ToastText } from './toast-text.js';

const region = later(() => import('./toast-region.js'));

export function tell(text: ToastText): void {
  void loadSurely(region).then(({ show }) => show(text));
  tellInTitle(text.title);
}

/** The title of a hidden window is what is seen of it; it is as before when somebody looks. */
function tellInTitle(text: string): void {
  if (!document.hidden) return;
  const before = document.title;
  const told = `● ${text}`;
  document.title = told;
  const back = () => {
    if (document.hidden) return;
    if (document.title === told) document.title = before;
    document.removeEventListener('visibilitychange', back);
  };
  document.addEventListener('visibilitychange', back);
}

export function Toasts() {
  const loaded = useLater(region);
  return loaded === undefined ? null : <loaded.ShownToasts />;
}
