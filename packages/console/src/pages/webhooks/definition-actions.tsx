/** What an owner does with a webhook: switch it on and off, let what waits go now, change its secret, delete it. */
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { Button } from '../../components/button.js';
import { Dialog } from '../../components/dialog.js';
import { ErrorPanel } from '../../components/error-panel.js';
import { tell } from '../../components/toasts.js';
import { useAttempt } from '../../components/use-attempt.js';
import { useApi, usePresent } from '../../session/session-context.js';
import { useFormat } from '../../texts/format.js';
import { textsOf } from '../../texts/texts.js';
import type { Definition } from './health.js';
import { RotateDialog } from './rotate-dialog.js';
import { useWebhookText } from './texts.js';
import { useRefresh } from './use-definition.js';

const useText = textsOf('webhook-actions', {
  enable: { en: 'Switch on', de: 'Einschalten' },
  enabled: { en: 'It is on; what was kept is being sent', de: 'Er ist an; was aufgehoben wurde, wird gesendet' },
  disable: { en: 'Switch off', de: 'Ausschalten' },
  disabled: {
    en: 'It is off; events are kept for {hours} hours',
    de: 'Er ist aus; Ereignisse werden {hours} Stunden lang aufgehoben',
  },
  resume: { en: 'Send what waits now', de: 'Wartendes jetzt senden' },
  resumed: {
    en: '{count, plural, =0 {Nothing waits} one {# delivery is attempted now} other {# deliveries are attempted now}}',
    de: '{count, plural, =0 {Nichts wartet} one {# Zustellung wird jetzt versucht} other {# Zustellungen werden jetzt versucht}}',
  },
  rotate: { en: 'New secret', de: 'Neues Geheimnis' },
  remove: { en: 'Delete', de: 'Löschen' },
  removeTitle: { en: 'Delete this webhook?', de: 'Diesen Webhook löschen?' },
  removeNote: {
    en: '{target} is told nothing any more. What waits is cancelled. Its secret and its settings are gone; this cannot be undone.',
    de: '{target} erfährt nichts mehr. Wartendes wird abgebrochen. Das Geheimnis und die Einstellungen sind weg; das lässt sich nicht rückgängig machen.',
  },
  removed: { en: 'The webhook is deleted', de: 'Der Webhook ist gelöscht' },
});

export function DefinitionActions({ definition }: { readonly definition: Definition }) {
  const t = useText();
  const api = useApi();
  const format = useFormat();
  const refresh = useRefresh();
  const { webhookId, status, collectHours, health } = definition;
  const { attempt, error, isBusy } = useAttempt();
  const [shown, setShown] = useState<'rotate' | 'remove'>();
  /** @param act does it, and answers what is told */
  const doing = (act: () => Promise<string>) => () =>
    attempt(async () => {
      try {
        tell({ tone: 'good', title: await act() });
      } finally {
        await refresh();
      }
    });
  const isOn = status === 'ACTIVE';
  const enable = doing(async () => {
    await api.enableWebhook({ webhookId });
    return t('enabled');
  });
  const disable = doing(async () => {
    await api.disableWebhook({ webhookId });
    return t('disabled', { hours: format.number(collectHours) });
  });
  const resume = doing(async () => {
    const { deliveries } = await api.resumeWebhook({ webhookId });
    return t('resumed', { count: deliveries });
  });
  return (
    <>
      {isOn && health.backlog > 0 ? (
        <Button kind="primary" icon="send" isPending={isBusy} onPress={resume}>
          {t('resume')}
        </Button>
      ) : null}
      {isOn ? (
        <Button isPending={isBusy} onPress={disable}>
          {t('disable')}
        </Button>
      ) : (
        <Button kind="primary" isPending={isBusy} onPress={enable}>
          {t('enable')}
        </Button>
      )}
      <Button onPress={() => setShown('rotate')}>{t('rotate')}</Button>
      <Button kind="danger" onPress={() => setShown('remove')}>
        {t('remove')}
      </Button>
      {error === undefined ? null : <ErrorPanel error={error} />}
      {shown === 'rotate' ? <RotateDialog webhookId={webhookId} onClose={() => setShown(undefined)} /> : null}
      {shown === 'remove' ? <RemoveDialog definition={definition} onClose={() => setShown(undefined)} /> : null}
    </>
  );
}

function RemoveDialog({ definition, onClose }: { readonly definition: Definition; readonly onClose: () => void }) {
  const t = useText();
  const w = useWebhookText();
  const api = useApi();
  const refresh = useRefresh();
  const navigate = useNavigate();
  const { stage } = usePresent();
  const { attempt, error, isBusy } = useAttempt();
  const remove = () =>
    attempt(async () => {
      await api.deleteWebhook({ webhookId: definition.webhookId });
      tell({ tone: 'good', title: t('removed') });
      await navigate({ to: '/$stage/webhooks', params: { stage: stage.name } });
      await refresh();
    });
  return (
    <Dialog title={t('removeTitle')} isOpen onClose={onClose}>
      <p className="said">{t('removeNote', { target: definition.target })}</p>
      {error === undefined ? null : <ErrorPanel error={error} />}
      <div className="actions">
        <Button kind="danger" isPending={isBusy} onPress={remove}>
          {t('remove')}
        </Button>
        <Button onPress={onClose}>{w('cancel')}</Button>
      </div>
    </Dialog>
  );
}
