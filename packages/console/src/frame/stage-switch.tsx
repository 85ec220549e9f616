/** Shows the account and the stage, and lets one choose another stage. What customers see is in a colour that one cannot overlook. */
import { useRouter } from '@tanstack/react-router';
import { ChoiceInput } from '../components/choice-input.js';
import { useLoggedIn } from '../session/logged-in.js';
import { textsOf } from '../texts/texts.js';

const useText = textsOf('stages', {
  account: { en: 'Account', de: 'Konto' },
  stage: { en: 'Stage', de: 'Stage' },
  live: { en: 'live', de: 'live' },
  liveHelp: { en: 'Customers see what you change here', de: 'Kunden sehen, was Sie hier ändern' },
});

export function StageSwitch({ stage, isLive }: { readonly stage: string; readonly isLive: boolean }) {
  const t = useText();
  const router = useRouter();
  const { session } = useLoggedIn();
  const known = session.stages.some(({ name }) => name === stage);
  const stages = known ? session.stages : [...session.stages, { name: stage, live: false }];
  return (
    <div className="stage">
      <span className="account" title={session.accountId}>
        <span className="unseen">{t('account')} </span>
        <bdi>{session.accountName}</bdi>
      </span>
      <ChoiceInput
        label={t('stage')}
        hidesLabel
        className="stage-choice"
        value={stage}
        choices={stages.map(({ name, live }) => ({
          id: name,
          label: name,
          ...(live ? { note: <span className="live-mark">{t('live')}</span> } : {}),
        }))}
        onChange={(name) => void router.navigate({ to: '/$stage/imports', params: { stage: name } })}
      />
      {isLive ? <span className="live-help">{t('liveHelp')}</span> : null}
    </div>
  );
}
