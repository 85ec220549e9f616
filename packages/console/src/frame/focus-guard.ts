/** The focus is never nowhere: when what has it goes away, what is around it gets it, or else the heading of the page. */
import { useEffect } from 'react';

/** Dialogs give the focus back to what has opened them in the frame after they are gone, so this waits for one more. */
const FRAMES = 2;

export function useFocusGuard(): void {
  useEffect(() => {
    /** What had the focus, and what was around it. */
    let path: readonly Element[] = [];
    let frame: number | undefined;
    const onFocus = ({ target }: FocusEvent) => {
      if (target instanceof Element) path = ancestorsOf(target);
    };
    const restoreAfter = (frames: number) => {
      frame = requestAnimationFrame(() => {
        if (frames > 1) return restoreAfter(frames - 1);
        frame = undefined;
        if (isLost(path)) placeAround(path)?.focus({ preventScroll: true });
      });
    };
    const observer = new MutationObserver(() => {
      if (frame === undefined && isLost(path)) restoreAfter(FRAMES);
    });
    document.addEventListener('focusin', onFocus);
    observer.observe(document.body, { childList: true, subtree: true });
    return () => {
      if (frame !== undefined) cancelAnimationFrame(frame);
      observer.disconnect();
      document.removeEventListener('focusin', onFocus);
    };
  }, []);
}

function ancestorsOf(element: Element): Element[] {
  const found: Element[] = [];
  for (let one: Element | null = element; one !== null; one = one.parentElement) found.push(one);
  return found;
}

function isLost(path: readonly Element[]): boolean {
  const { activeElement, body } = document;
  return path[0]?.isConnected === false && (activeElement === null || activeElement === body);
}

function placeAround(path: readonly Element[]): HTMLElement | null {
  const around = path.find((one) => one.isConnected && one.id !== 'content' && one.hasAttribute('tabindex'));
  return around instanceof HTMLElement ? around : document.querySelector<HTMLElement>('main h1');
}
