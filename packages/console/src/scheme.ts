/** Light or dark: as the system says, or as was chosen here. */

export const SCHEMES = ['system', 'light', 'dark'] as const;
export type Scheme = (typeof SCHEMES)[number];

const KEPT_AS = 'longshore.scheme';

export function chosenScheme(): Scheme {
  const kept = localStorage.getItem(KEPT_AS);
  return SCHEMES.find((one) => one === kept) ?? 'system';
}

export function chooseScheme(scheme: Scheme): void {
  localStorage.setItem(KEPT_AS, scheme);
  showScheme();
}

export function showScheme(): void {
  document.documentElement.dataset.scheme = chosenScheme();
}
