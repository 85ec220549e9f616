/** What a person may do. */
import { RadioCards } from '../../components/fields.js';
import { textsOf } from '../../texts/texts.js';
import { ROLES, type Role, useRoleText } from './roles.js';

const useText = textsOf('role-choice', {
  role: { en: 'What may the person do?', de: 'Was darf die Person?' },
});

export function RoleChoice({ value, onChange }: { readonly value: Role; readonly onChange: (role: Role) => void }) {
  const t = useText();
  const role = useRoleText();
  return (
    <RadioCards
      label={t('role')}
      value={value}
      choices={ROLES.map((one) => ({ value: one, label: role(one), help: role(`${one}Help`) }))}
      onChange={(chosen) => onChange(ROLES.find((one) => one === chosen) ?? value)}
    />
  );
}
