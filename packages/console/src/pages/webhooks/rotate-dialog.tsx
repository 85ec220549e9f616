/** Gives a webhook a new secret, and says until when the old one signs as well. */
import type { AnswerOf } from '@longshore/client';
import { useState } from 'react';
import { Button } from '../../components/button.js';
import { Notice } from '../../components/content.js';
import { OneTimeText } from '../../components/copied.js';
import { Dialog } from '../../components/dialog.js';
import { ErrorPanel } from '../../components/error-panel.js';
import { useAttempt } from '../../components/use-attempt.js';
import { useApi } from '../../session/session-context.js';
import { useFormat } from '../../texts/format.js';
import { textsOf } from '../../texts/texts.js';
import { useWebhookText } from './texts.js';
import { useRefresh } from './use-definition.js';

const useText = textsOf('webhook-rotate', {
  title: { en: 'New secret', de: 'Neues Geheimnis' },
  note: {
    en: 'Longshore makes a new secret. For 24 hours requests are signed with both, so you can change it on your server at any time during that day.',
    de: 'Longshore erzeugt ein neues Geheimnis. 24 Stunden lang werden Aufrufe mit beiden signiert; in dieser Zeit können Sie es auf Ihrem Server jederzeit austauschen.',
  },
  make: { en: 'Make a new secret', de: 'Neues Geheimnis erzeugen' },
  secret: { en: 'The new secret', de: 'Das neue Geheimnis' },
  once: { en: 'It is shown only now', de: 'Es wird nur jetzt gezeigt' },
  newFrom: { en: 'New secret signs from', de: 'Neues Geheimnis signiert ab' },
  oldUntil: { en: 'Old secret signs until', de: 'Altes Geheimnis signiert bis' },
  done: { en: 'I have kept it', de: 'Ich habe es aufbewahrt' },
});

export function RotateDialog({ webhookId, onClose }: { readonly webhookId: string; readonly onClose: () => void }) {
  const t = useText();
  const w = useWebhookText();
  const api = useApi();
  const format = useFormat();
  const refresh = useRefresh();
  const [made, setMade] = useState<AnswerOf<'rotateWebhookSecret'>>();
  const { attempt, error, isBusy } = useAttempt();
  const rotate = () =>
    attempt(async () => {
      setMade(await api.rotateWebhookSecret({ webhookId, body: {} }));
      void refresh();
    });
  if (made === undefined) {
    return (
      <Dialog title={t('title')} isOpen onClose={onClose}>
        <p>{t('note')}</p>
        {error === undefined ? null : <ErrorPanel error={error} />}
        <div className="actions">
          <Button kind="primary" icon="key" isPending={isBusy} onPress={rotate}>
            {t('make')}
          </Button>
          <Button onPress={onClose}>{w('cancel')}</Button>
        </div>
      </Dialog>
    );
  }
  return (
    <Dialog title={t('title')} isOpen>
      <Notice tone="warn" title={t('once')} />
      <OneTimeText text={made.signingSecret} what={t('secret')} />
      <dl className="facts-list">
        <dt>{t('newFrom')}</dt>
        <dd>{format.time(made.updatedDate)}</dd>
        {made.previousSecretUntil === null ? null : (
          <>
            <dt>{t('oldUntil')}</dt>
            <dd>{format.time(made.previousSecretUntil)}</dd>
          </>
        )}
      </dl>
      <div className="actions">
        <Button onPress={onClose}>{t('done')}</Button>
      </div>
    </Dialog>
  );
}
