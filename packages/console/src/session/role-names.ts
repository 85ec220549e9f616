/** The names of roles, in words. */
import { textsOf } from '../texts/texts.js';

export const ROLES = ['viewer', 'editor', 'approver', 'owner'] as const;

const useText = textsOf('role-names', {
  viewer: { en: 'Viewer', de: 'Leser' },
  editor: { en: 'Editor', de: 'Bearbeiter' },
  approver: { en: 'Approver', de: 'Freigeber' },
  owner: { en: 'Owner', de: 'Inhaber' },
});

/** @returns a function that names a role; one that this page does not know yet as the API does */
export function useRoleName(): (role: string) => string {
  const t = useText();
  return (role) => {
    const known = ROLES.find((one) => one === role);
    return known === undefined ? role : t(known);
  };
}
