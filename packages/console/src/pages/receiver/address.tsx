/** What the address of a receiver's page names: an event, the check of the signature, a page of the list. */
import { type ReactNode, useSyncExternalStore } from 'react';

const GONE = 'receiver-address';

function subscribe(listener: () => void): () => void {
  addEventListener('popstate', listener);
  addEventListener(GONE, listener);
  return () => {
    removeEventListener('popstate', listener);
    removeEventListener(GONE, listener);
  };
}

export function useAddress(): URLSearchParams {
  return new URLSearchParams(useSyncExternalStore(subscribe, () => location.search));
}

type Place = Readonly<Record<string, string>>;

function addressOf(place: Place): string {
  const search = new URLSearchParams(place).toString();
  return `${location.pathname}${search === '' ? '' : `?${search}`}`;
}

export function goTo(place: Place): void {
  history.pushState(null, '', addressOf(place));
  dispatchEvent(new Event(GONE));
}

interface PlaceLinkProps {
  readonly to: Place;
  readonly className?: string;
  /** What it is called among others; undefined: as its text says. */
  readonly name?: string;
  readonly children: ReactNode;
}

export function PlaceLink({ to, className, name, children }: PlaceLinkProps) {
  return (
    <a
      href={addressOf(to)}
      className={className}
      aria-label={name}
      onClick={(event) => {
        // Another window or tab is the browser's own matter.
        if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return;
        event.preventDefault();
        goTo(to);
      }}
    >
      {children}
    </a>
  );
}
