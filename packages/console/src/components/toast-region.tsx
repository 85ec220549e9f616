/** The messages in the corner of the page, as they are shown: it is loaded after the page. */
import { useEffect, useRef } from 'react';
import { Button } from 'react-aria-components/Button';
import { Text } from 'react-aria-components/Text';
import {
  UNSTABLE_Toast as Toast,
  UNSTABLE_ToastContent as ToastContent,
  UNSTABLE_ToastQueue as ToastQueue,
  UNSTABLE_ToastRegion as ToastRegion,
} from 'react-aria-components/Toast';
import { textsOf } from '../texts/texts.js';
import { Icon } from './icon.js';
import type { ToastText } from './toast-text.js';

const SHOWN_MS = 15_000;
const queue = new ToastQueue<ToastText>({ maxVisibleToasts: 3 });

const useText = textsOf('toasts', {
  region: { en: 'Messages', de: 'Meldungen' },
  close: { en: 'Close', de: 'Schließen' },
});

/** What is said again takes the place of what said the same before. */
export function show(text: ToastText): void {
  for (const { key, content } of [...queue.visibleToasts]) if (content.title === text.title) queue.close(key);
  queue.add(text, { timeout: SHOWN_MS });
}

/** From the edge of the window, or from what is there, in pixels. */
const EDGE = 16;

/** Keeps messages above the bar of buttons at the lower edge of a page, wherever it is by then. */
function KeepsClear() {
  const place = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    const region = place.current?.closest<HTMLElement>('.toasts');
    if (region == null) return;
    let frame = 0;
    const sizes = new ResizeObserver(() => later());
    const look = () => {
      frame = 0;
      const bar = document.querySelector('.send-bar');
      if (bar !== null) sizes.observe(bar);
      const box = bar?.getBoundingClientRect();
      const isThere =
        box !== undefined && box.top < innerHeight && box.bottom > innerHeight - EDGE - region.offsetHeight;
      const bottom = `${isThere ? innerHeight - box.top + EDGE / 2 : EDGE}px`;
      if (region.style.bottom !== bottom) region.style.bottom = bottom;
    };
    /** Once for all that happens before the next frame. */
    const later = () => {
      if (frame === 0) frame = requestAnimationFrame(look);
    };
    const parts = new MutationObserver(later);
    parts.observe(document.body, { childList: true, subtree: true });
    for (const part of [region, document.body]) sizes.observe(part);
    const stop = new AbortController();
    const options = { capture: true, passive: true, signal: stop.signal };
    for (const moves of ['scroll', 'resize']) addEventListener(moves, later, options);
    look();
    return () => {
      stop.abort();
      parts.disconnect();
      sizes.disconnect();
      cancelAnimationFrame(frame);
    };
  }, []);
  return <span ref={place} hidden />;
}

export function ShownToasts() {
  const t = useText();
  return (
    <ToastRegion queue={queue} className="toasts" aria-label={t('region')}>
      {({ toast }) => (
        <Toast toast={toast} className={`toast ${toast.content.tone}`}>
          <ToastContent className="toast-content">
            {toast.content.content ?? <Text slot="title">{toast.content.title}</Text>}
          </ToastContent>
          <KeepsClear />
          <Button slot="close" className="button quiet icon-only" aria-label={t('close')}>
            <Icon name="cross" />
          </Button>
        </Toast>
      )}
    </ToastRegion>
  );
}
