/** What the roles of people may do, in words. */
import type { schemas } from '@longshore/client';
import { textsOf } from '../../texts/texts.js';

export type Person = schemas.Person;
export type Role = Person['role'];

export const useRoleHelp = textsOf('roles', {
  viewer: { en: 'Sees everything and changes nothing', de: 'Sieht alles und ändert nichts' },
  editor: { en: 'Imports files, changes items, keeps webhooks', de: 'Importiert, ändert Artikel, pflegt Webhooks' },
  approver: {
    en: 'Sees everything, approves or rejects imports',
    de: 'Sieht alles, gibt Importe frei oder lehnt ab',
  },
  owner: { en: 'May do everything, and invites others', de: 'Darf alles und lädt andere ein' },
});
