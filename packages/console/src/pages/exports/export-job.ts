/** Which jobs are exports, and what they write. */
import type { Job } from '@longshore/client';
import { textsOf } from '../../texts/texts.js';

export const WHAT = ['items', 'bundles', 'attributes', 'categories'] as const;
export type What = (typeof WHAT)[number];

const TYPES: Readonly<Record<What, string>> = {
  items: 'ITEM_EXPORT',
  bundles: 'BUNDLE_EXPORT',
  attributes: 'ATTRIBUTE_EXPORT',
  categories: 'CATEGORY_EXPORT',
};

export const EXPORT_TYPES: readonly string[] = Object.values(TYPES);

export const useExportText = textsOf('exports', {
  title: { en: 'Exports', de: 'Exporte' },
  new: { en: 'New export', de: 'Neuer Export' },
  back: { en: 'All exports', de: 'Alle Exporte' },
  items: { en: 'Items', de: 'Artikel' },
  bundles: { en: 'Bundles', de: 'Sets' },
  attributes: { en: 'Attributes', de: 'Attribute' },
  categories: { en: 'Categories', de: 'Kategorien' },
  download: { en: 'Download', de: 'Herunterladen' },
  downloadOf: { en: 'Download: {name}', de: 'Herunterladen: {name}' },
});

export function whatOf({ type }: Job): What {
  return WHAT.find((what) => TYPES[what] === type) ?? 'items';
}
