/** Offers the profiles that read files with the columns of this one: who has one need not map the columns again. */
import type { schemas } from '@longshore/client';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Button } from '../../components/button.js';
import { Section } from '../../components/content.js';
import { setApart } from '../../texts/set-apart.js';
import { textsOf } from '../../texts/texts.js';
import { ShippedDescription } from '../profiles/shipped-description.js';

const useText = textsOf('fitting-profiles', {
  title: { en: 'There is a profile for this kind of file', de: 'Für solche Dateien gibt es ein Profil' },
  note: {
    en: 'It knows these columns, and reads every later file in the same way. Without one, you go by what Longshore proposes below.',
    de: 'Es kennt diese Spalten und liest jede spätere Datei genauso. Ohne Profil gilt, was Longshore unten vorschlägt.',
  },
  use: { en: 'Read the file by {name}', de: 'Datei mit {name} lesen' },
  columns: {
    en: 'It reads {count, plural, one {# column} other {# columns}} of the file.',
    de: 'Es liest {count, plural, one {# Spalte} other {# Spalten}} der Datei.',
  },
});

/** Nothing is offered once a profile is chosen. */
export function FittingProfiles({ profiles }: Pick<schemas.ImportProposal, 'profiles'>) {
  const t = useText();
  const { profile } = useSearch({ from: '/$stage/imports/new/$fileId' });
  const navigate = useNavigate({ from: '/$stage/imports/new/$fileId' });
  if (profile !== undefined || profiles.length === 0) return null;
  return (
    <Section title={t('title')} note={t('note')}>
      <ul className="fitting-profiles">
        {profiles.map(({ name, description, columns }) => (
          <li key={name}>
            <Button onPress={() => void navigate({ search: { profile: name } })}>
              {t('use', { name: setApart(name) })}
            </Button>
            <span className="small">
              {description === null ? (
                t('columns', { count: columns })
              ) : (
                <ShippedDescription name={name} description={description} />
              )}
            </span>
          </li>
        ))}
      </ul>
    </Section>
  );
}
