/** What a person may do. */
import { RadioCards } from '../../components/radio-cards.js';
import { ROLES, useRoleName } from '../../session/role-names.js';
import { textsOf } from '../../texts/texts.js';
import { type Role, useRoleHelp } from './roles.js';

const useText = textsOf('role-choice', {
  role: { en: 'What may the person do?', de: 'Was darf die Person?' },
});

export function RoleChoice({ value, onChange }: { readonly value: Role; readonly onChange: (role: Role) => void }) {
  const t = useText();
  const name = useRoleName();
  const help = useRoleHelp();
  return (
    <RadioCards
      label={t('role')}
      value={value}
      choices={ROLES.map((one) => ({ value: one, label: name(one), help: help(one) }))}
      onChange={(chosen) => onChange(ROLES.find((one) => one === chosen) ?? value)}
    />
  );
}
