/** The roles of people, in words. */
import type { schemas } from '@longshore/client';
import { textsOf } from '../../texts/texts.js';

export type Person = schemas.Person;
export type Role = Person['role'];

export const ROLES = ['viewer', 'editor', 'approver', 'owner'] as const satisfies readonly Role[];

export const useRoleText = textsOf('roles', {
  viewer: { en: 'Viewer', de: 'Leser' },
  viewerHelp: { en: 'Sees everything and changes nothing', de: 'Sieht alles und ändert nichts' },
  editor: { en: 'Editor', de: 'Bearbeiter' },
  editorHelp: { en: 'Imports files, changes items, keeps webhooks', de: 'Importiert, ändert Artikel, pflegt Webhooks' },
  approver: { en: 'Approver', de: 'Freigeber' },
  approverHelp: {
    en: 'Sees everything, approves or rejects imports',
    de: 'Sieht alles, gibt Importe frei oder lehnt ab',
  },
  owner: { en: 'Owner', de: 'Inhaber' },
  ownerHelp: { en: 'May do everything, and invites others', de: 'Darf alles und lädt andere ein' },
});
