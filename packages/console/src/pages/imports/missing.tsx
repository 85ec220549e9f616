/** What the catalog lacks for the file, as switches: an import creates only what was said. */
import type { schemas } from '@longshore/client';
import { Section } from '../../components/content.js';
import { SwitchInput } from '../../components/switch-input.js';
import { useFormat } from '../../texts/format.js';
import { setApart } from '../../texts/set-apart.js';
import { textsOf } from '../../texts/texts.js';
import { inWords } from '../catalog/category-tree.js';
import { CREATABLE, type Creatable, type Creation, lackingOf } from './mapping.js';

const useText = textsOf('missing-definitions', {
  title: { en: 'What your catalog does not have yet', de: 'Was Ihr Katalog noch nicht hat' },
  note: {
    en: 'It is created before the rows. What is off is not created, and rows that need it fail.',
    de: 'Es wird vor den Zeilen angelegt. Was aus ist, wird nicht angelegt, und Zeilen, die es brauchen, schlagen fehl.',
  },
  attributes: {
    en: 'Create {count, plural, one {# attribute} other {# attributes}}',
    de: '{count, plural, one {# Attribut} other {# Attribute}} anlegen',
  },
  options: {
    en: 'Add {count, plural, one {# value} other {# values}} to lists',
    de: '{count, plural, one {# Wert} other {# Werte}} zu Listen hinzufügen',
  },
  categories: {
    en: 'Create {count, plural, one {# category} other {# categories}}',
    de: '{count, plural, one {# Kategorie} other {# Kategorien}} anlegen',
  },
  assignments: {
    en: 'Give categories the attributes of their items',
    de: 'Kategorien die Attribute ihrer Artikel geben',
  },
  more: { en: '{list} and {count} more', de: '{list} und {count} weitere' },
});

const NAMED = 6;

interface MissingProps {
  readonly proposal: schemas.ImportProposal;
  readonly creation: Creation;
  readonly onChange: (creation: Creation) => void;
}

export function Missing({ proposal, creation, onChange }: MissingProps) {
  const t = useText();
  const format = useFormat();
  const lacking = lackingOf(proposal);
  const kinds = CREATABLE.filter((kind) => lacking[kind] > 0);
  if (kinds.length === 0) return null;
  const names = (kind: Creatable): string => {
    const all = namesOf(kind, proposal);
    const shown = all.slice(0, NAMED);
    return all.length > NAMED ? t('more', { list: shown.join(', '), count: all.length - NAMED }) : format.list(shown);
  };
  return (
    <Section title={t('title')} note={t('note')}>
      <div className="switches">
        {kinds.map((kind) => (
          <SwitchInput
            key={kind}
            label={t(kind, { count: lacking[kind] })}
            help={names(kind)}
            isOn={creation[kind]}
            onChange={(isOn) => onChange({ ...creation, [kind]: isOn })}
          />
        ))}
      </div>
    </Section>
  );
}

function namesOf(kind: Creatable, { missing }: schemas.ImportProposal): string[] {
  if (kind === 'attributes') return missing.attributes.map(({ name }) => name ?? '');
  if (kind === 'options')
    return missing.options.flatMap(({ attribute, values }) =>
      values.map((value) => `${setApart(attribute)}: ${setApart(String(value))}`),
    );
  if (kind === 'categories') return missing.categories.map((path) => inWords(path.split('->')));
  return missing.assignments.map(({ category }) => inWords(category.split('->')));
}
