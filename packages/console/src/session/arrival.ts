/** How somebody has come to the page: by a link that logs in, back from the identity provider, or by an address of the pages. */
import { BASE } from '../base.js';
import type { Credentials } from './session.js';

const HOME = `${BASE}/console/`;
const CALLBACK = `${BASE}/console/login`;
const RETURN = 'longshore.return';
const ACCOUNT = 'longshore.account';
const LOGGED_IN = 'longshore.loggedIn';

/** The name of the identity provider by which one may log in; empty: there is none. */
export const PROVIDER = document.querySelector<HTMLMetaElement>('meta[name=longshore-provider]')?.content ?? '';

let taken: Credentials | undefined;

/** What the address contains to log in with, which is valid once and does not stay in it. */
export function takeCredentials(): Credentials | undefined {
  const code = new URLSearchParams(location.hash.slice(1)).get('code');
  const { pathname, search } = location;
  if (code !== null) {
    taken = { code };
    history.replaceState(history.state, '', pathname + search);
  } else if (pathname === CALLBACK && new URLSearchParams(search).has('state')) {
    const account = sessionStorage.getItem(ACCOUNT);
    taken = { callback: search.slice(1), ...(account === null ? {} : { account }) };
    history.replaceState(history.state, '', HOME);
  }
  return taken;
}

/** Said before one goes to the provider. @param account which of several one wants to log in to */
export function keepReturn(account?: string): void {
  sessionStorage.setItem(RETURN, location.pathname + location.search);
  if (account === undefined) sessionStorage.removeItem(ACCOUNT);
  else sessionStorage.setItem(ACCOUNT, account);
}

/** Where one was before one went to the provider: an address of these pages, whatever is stored. */
export function keptReturn(): string {
  const kept = sessionStorage.getItem(RETURN) ?? HOME;
  const url = URL.canParse(kept, location.origin) ? new URL(kept, location.origin) : undefined;
  const isOurs = url?.origin === location.origin && url.pathname.startsWith(HOME) && url.pathname !== CALLBACK;
  return isOurs ? url.pathname + url.search : HOME;
}

/** Tells other windows, which wait for it. */
export function tellLoggedIn(): void {
  localStorage.setItem(LOGGED_IN, String(Date.now()));
}

/** @returns ends it */
export function onLoggedInElsewhere(listener: () => void): () => void {
  const heard = ({ key }: StorageEvent) => {
    if (key === LOGGED_IN) listener();
  };
  addEventListener('storage', heard);
  addEventListener('focus', listener);
  return () => {
    removeEventListener('storage', heard);
    removeEventListener('focus', listener);
  };
}
