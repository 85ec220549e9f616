/** Checks the form of addresses that we call; their targets are checked at each call. */

export const MAX_WEB_ADDRESS_CHARACTERS = 2_000;

/** Whether a text is an absolute http or https URL. */
export function isWebAddress(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : null;
  return (url?.protocol === 'http:' || url?.protocol === 'https:') && /^https?:\/\/\S+$/i.test(text);
}

export const EXPECTED_WEB_ADDRESS = 'expected an address that begins with http:// or https://';
