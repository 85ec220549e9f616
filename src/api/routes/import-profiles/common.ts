/** What the routes of import profiles have in common. */
import { z } from 'zod';
import { isStorable } from '../../../domain/kernel/characters.js';
import { givenName, nameInQuery } from '../../named-in-query.js';

export const ofProfiles = { family: 'catalog', tag: 'Import profiles', siteContext: true } as const;

export const profileParams = z.object({
  name: z.string().refine(isStorable, 'contains a NUL character or an unpaired surrogate'),
});

/** Beside `profileParams`. */
export const profileQuery = { name: nameInQuery('name') };

/** The name of the profile that a request is about. */
export function nameOfProfile(request: {
  readonly params: { readonly name: string };
  readonly query: { readonly name?: string | undefined };
}): string {
  return givenName('name', request.params.name, request.query.name);
}

/** How the audit log names a profile. */
export function targetOf({ id, version }: { readonly id: string; readonly version: number }): string {
  return `import-profile/${id}/${version}`;
}

/** Members of an answer that a body may repeat, so that what was read can be sent. */
export const repeatedMembers = {
  shipped: z.boolean().optional().meta({ description: 'Ignored' }),
  description: z.string().nullish().meta({ description: 'Ignored' }),
  createdAt: z.string().nullish().meta({ description: 'Ignored' }),
  updatedAt: z.string().nullish().meta({ description: 'Ignored' }),
  notInvertible: z.array(z.unknown()).optional().meta({ description: 'Ignored' }),
};

/** Two columns of a shop, as an example. */
export const EXAMPLE_PROFILE = {
  fileType: 'ITEM_IMPORT',
  format: { encoding: 'windows-1252', delimiter: ';' },
  columns: [
    { to: 'SKU', from: 'Artikelnummer', steps: [{ step: 'trim' }] },
    { to: 'Category Node', from: 'Warengruppe', steps: [{ step: 'path', separator: '>' }] },
    { to: 'Title', from: 'Bezeichnung', steps: [{ step: 'collapseSpaces' }] },
  ],
} as const;
