/** Makes the requests of loaded deliveries, with the secrets that sign them. */
import type { Db } from '../../../../../db/connection.js';
import { callbackSecrets } from '../../../access/callback-secret.js';
import { type OpenSecrets, openSecrets } from '../../definitions/open-secrets.js';
import type { LoadedDefinition, LoadedDelivery } from '../loaded-delivery.js';
import type { WebhookRequest } from '../send/webhook-request.js';
import { contentOf } from './content.js';
import { callbackRequest, targetRequest } from './signed-request.js';

/** Creates the request of a delivery, signed at a given time. @throws UnsealError; errors of the database */
export type RequestMaker = (delivery: LoadedDelivery, at: Date) => WebhookRequest | Promise<WebhookRequest>;

export function createRequestMaker(db: Db, secretsKeys: readonly string[]): RequestMaker {
  /** The opened secrets of definitions: opening them takes as long as sending a request. */
  const opened = new WeakMap<LoadedDefinition, OpenSecrets>();

  function secretsOf(definition: LoadedDefinition, at: Date): OpenSecrets {
    const known = opened.get(definition);
    if (known !== undefined) return known;
    const secrets = openSecrets(secretsKeys, definition, at);
    opened.set(definition, secrets);
    return secrets;
  }

  async function signedByAccount(delivery: LoadedDelivery, callbackUrl: string, at: Date): Promise<WebhookRequest> {
    const secrets = await callbackSecrets(db, secretsKeys, delivery.event.account_id, at);
    return callbackRequest(callbackUrl, secrets, contentOf(delivery), at);
  }

  return (delivery, at) => {
    const { definition, callbackUrl } = delivery;
    if (definition === null) {
      if (callbackUrl === null) throw new Error(`delivery ${delivery.id} has neither a definition nor a callback URL`);
      return signedByAccount(delivery, callbackUrl, at);
    }
    const secrets = secretsOf(definition, at);
    const content = contentOf(delivery);
    if (callbackUrl !== null) return callbackRequest(callbackUrl, secrets.signing, content, at);
    return targetRequest(definition, secrets, content, at);
  };
}
