/** Says how many definitions of a catalog there are of each kind. */
import { plural } from './terminal.js';

const DEFINITIONS = {
  attributes: 'attribute',
  options: 'option',
  categories: 'category',
  assignments: 'assignment',
} as const;

/** How many definitions there are of each kind: "38 attributes, 8 categories"; empty: none. */
export function definitionsText(counts: Readonly<Record<keyof typeof DEFINITIONS, number>>): string {
  const kinds = Object.entries(DEFINITIONS).map(([kind, noun]) => [counts[kind as keyof typeof counts], noun] as const);
  const texts = kinds.filter(([number]) => number > 0).map(([number, noun]) => plural(number, noun));
  return texts.join(', ').replace('categorys', 'categories');
}
