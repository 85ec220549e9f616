/** The link of an invitation, which is shown only once. */
import type { schemas } from '@longshore/client';
import { Button } from '../../components/button.js';
import { Notice } from '../../components/content.js';
import { OneTimeText } from '../../components/copied.js';
import { useFormat } from '../../texts/format.js';
import { textsOf } from '../../texts/texts.js';

const useText = textsOf('invitation', {
  ready: { en: 'Give this link to {name}', de: 'Geben Sie diesen Link an {name}' },
  once: {
    en: 'Whoever has it logs in as this person, once, until {time}. It is shown only now.',
    de: 'Wer ihn hat, meldet sich als diese Person an, einmal, bis {time}. Er wird nur jetzt gezeigt.',
  },
  link: { en: 'Link', de: 'Link' },
  done: { en: 'Done', de: 'Fertig' },
});

interface LinkProps {
  readonly invited: schemas.InvitedPerson;
  readonly onClose: () => void;
}

export function LinkToPassOn({ invited: { name, link, invitation }, onClose }: LinkProps) {
  const t = useText();
  const format = useFormat();
  const until = invitation.expiresAt === null ? '–' : format.time(invitation.expiresAt);
  return (
    <>
      <Notice tone="warn" title={t('ready', { name })}>
        <p>{t('once', { time: until })}</p>
      </Notice>
      <OneTimeText text={link} what={t('link')} />
      <div className="actions">
        <Button onPress={onClose}>{t('done')}</Button>
      </div>
    </>
  );
}
