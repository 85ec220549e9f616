/** The system may be reached by other names than that in its settings, such as localhost: a page may ask only its own. */

const PUBLIC = document.querySelector<HTMLMetaElement>('meta[name=longshore-public]')?.content ?? '';

/** An address of the system as this page reaches it; other addresses stay as they are. */
export function ownAddress(address: string): string {
  const url = new URL(address, location.href);
  return PUBLIC !== '' && url.origin === PUBLIC ? `${location.origin}${url.pathname}${url.search}` : address;
}
