/** By which profile a file is read: what is proposed for it, or one that is saved. */
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { ChoiceInput } from '../../components/choice-input.js';
import { useApi, usePresent } from '../../session/session-context.js';
import { useFormat } from '../../texts/format.js';
import { textsOf } from '../../texts/texts.js';

const useText = textsOf('profile-choice', {
  by: { en: 'Read by', de: 'Lesen mit' },
  proposed: { en: 'what Longshore proposes', de: 'dem Vorschlag von Longshore' },
});

const PROPOSED = '';

/** The saved profiles of this kind of file; a file that comes again and again is read by its own. */
export function ProfileChoice() {
  const t = useText();
  const api = useApi();
  const { stage } = usePresent();
  const search = useSearch({ from: '/$stage/imports/new/$fileId' });
  const navigate = useNavigate({ from: '/$stage/imports/new/$fileId' });
  const format = useFormat();
  const { data = [] } = useQuery({
    queryKey: ['profiles', stage.name],
    queryFn: ({ signal }) => api.profiles.list({ signal }),
  });
  if (data.length === 0) return null;
  return (
    <div className="filters">
      <ChoiceInput
        label={t('by')}
        value={search.profile ?? PROPOSED}
        choices={[
          { id: PROPOSED, label: t('proposed') },
          ...format.byName(data).map(({ name }) => ({ id: name, label: name })),
        ]}
        onChange={(name) => void navigate({ search: name === PROPOSED ? {} : { profile: name } })}
      />
    </div>
  );
}
