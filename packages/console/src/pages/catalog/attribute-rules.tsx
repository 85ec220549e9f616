/** What values of an attribute have to be like, its role, and what its options are: the fields that its type has. */
import type { Attribute } from '@longshore/client';
import { Checks } from '../../components/checks.js';
import { ChoiceInput } from '../../components/choice-input.js';
import { TextInput } from '../../components/text-input.js';
import { textsOf } from '../../texts/texts.js';
import { type Limit, type Limits, limitsOf, type OptionsType, type Role, rolesOf } from './attribute-limits.js';
import { useRoleText } from './attribute-roles.js';

const useText = textsOf('attribute-rules', {
  maxLength: { en: 'Longest text, in characters', de: 'Längster Text, in Zeichen' },
  startWith: { en: 'Begins with', de: 'Beginnt mit' },
  contains: { en: 'Contains', de: 'Enthält' },
  pattern: { en: 'Pattern', de: 'Muster' },
  patternHelp: {
    en: 'A regular expression (RE2), such as ^[A-Z]{2}-[0-9]+$',
    de: 'Ein regulärer Ausdruck (RE2), etwa ^[A-Z]{2}-[0-9]+$',
  },
  min: { en: 'Least', de: 'Kleinster Wert' },
  max: { en: 'Most', de: 'Größter Wert' },
  dateHelp: { en: 'Such as 2026-01-31', de: 'Etwa 2026-01-31' },
  wrong: { en: 'This is not a number.', de: 'Das ist keine Zahl.' },
  roles: { en: 'What it is for the console and for programs', de: 'Was es für Konsole und Programme ist' },
  rolesHelp: {
    en: 'Each role belongs to one attribute. Roles are given before there are items.',
    de: 'Jede Rolle gehört zu einem Attribut. Rollen werden vergeben, bevor es Artikel gibt.',
  },
  optionsType: { en: 'The options are', de: 'Die Optionen sind' },
  TEXT: { en: 'texts', de: 'Texte' },
  INTEGER: { en: 'whole numbers', de: 'ganze Zahlen' },
  DECIMAL: { en: 'decimal numbers', de: 'Dezimalzahlen' },
});

interface AttributeRulesProps {
  readonly type: Attribute['type'];
  readonly limits: Limits;
  readonly roles: readonly Role[];
  /** Undefined: it is there, and what its options are stays. */
  readonly optionsType: OptionsType | undefined;
  readonly isWrong: (limit: Limit) => boolean;
  readonly onLimits: (limits: Limits) => void;
  readonly onRoles: (roles: readonly Role[]) => void;
  readonly onOptionsType: (type: OptionsType) => void;
}

export function AttributeRules(props: AttributeRulesProps) {
  const { type, limits, roles, optionsType, isWrong, onLimits, onRoles, onOptionsType } = props;
  const t = useText();
  const roleText = useRoleText();
  const help = (limit: Limit) =>
    limit === 'pattern' ? t('patternHelp') : type === 'DATETIME' ? t('dateHelp') : undefined;
  return (
    <div className="form">
      {type === 'OPTIONS' && optionsType !== undefined ? (
        <ChoiceInput
          label={t('optionsType')}
          value={optionsType}
          choices={(['TEXT', 'INTEGER', 'DECIMAL'] as const).map((id) => ({ id, label: t(id) }))}
          onChange={onOptionsType}
        />
      ) : null}
      {limitsOf(type).map((limit) => (
        <TextInput
          key={limit}
          label={t(limit)}
          help={help(limit)}
          error={isWrong(limit) ? t('wrong') : undefined}
          value={limits[limit]}
          onChange={(text) => onLimits({ ...limits, [limit]: text })}
        />
      ))}
      {rolesOf(type).length === 0 ? null : (
        <Checks
          label={t('roles')}
          help={t('rolesHelp')}
          choices={rolesOf(type).map((id) => ({ id, label: roleText(id) }))}
          value={roles}
          onChange={(chosen) => onRoles(rolesOf(type).filter((role) => chosen.includes(role)))}
        />
      )}
    </div>
  );
}
