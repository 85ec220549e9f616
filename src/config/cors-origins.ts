/** The origins whose pages may call the API: the variable CORS_ORIGINS. */

/** @returns origins as browsers send them @throws Error that names the first part that is none */
export function parseOrigins(text: string): readonly string[] {
  const parts = text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
  const wrong = parts.find((part) => !isOrigin(part));
  if (wrong === undefined) return parts;
  throw new Error(
    `expected origins such as https://shop.example.com, separated by commas; each has its scheme, small letters, and no path, no default port and no *; got "${wrong}"`,
  );
}

function isOrigin(text: string): boolean {
  return /^https?:[^*]+$/.test(text) && URL.canParse(text) && new URL(text).origin === text;
}
