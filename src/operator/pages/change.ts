/** Starts and stops actions, as the forms of the pages ask for. */
import { DomainError } from '../../domain/kernel/errors.js';
import { requestedAction } from '../actions/requested-action.js';
import { requestAction, stopAction } from '../actions.js';
import type { Forms } from '../view/forms.js';
import { type PageAnswer, page, seeOther } from './answer.js';
import { confirm } from './confirm.js';
import { formTokens, isSame } from './form-tokens.js';
import type { PageRequest, PageServices } from './request.js';

/** @throws DomainError forbidden without the token of one of our pages, invalid */
export async function change(
  services: PageServices,
  request: PageRequest,
  forms: Forms,
  now: Date,
): Promise<PageAnswer> {
  const { token = '', confirmed, action, ...fields } = request.form;
  if (!formTokens(services.config, request.actor, now).some((known) => isSame(known, token))) {
    const message = 'this form is too old, or does not come from one of these pages; open the page again';
    throw new DomainError('forbidden', 'FORM_TOKEN', message);
  }
  const [, , section, id, verb] = request.path.split('/');
  if (section !== 'actions') throw new DomainError('not-found', 'PAGE_NOT_FOUND', 'nothing can be sent to this page');
  if (id !== undefined && verb === 'stop') {
    await stopAction(services.db, id, request.actor);
    return seeOther(`/admin/actions/${id}`);
  }
  const parsed = requestedAction.safeParse({ action, filter: fields });
  if (id !== undefined || !parsed.success) {
    throw new DomainError('invalid', 'ACTION', 'there is no such action, or what it is to be done to is not clear');
  }
  const isOfOne = 'job' in fields || 'endpoint' in fields;
  if (!isOfOne && confirmed !== 'yes') return page(200, await confirm(services, parsed.data, forms, now));
  const started = await requestAction(services.db, parsed.data, request.actor);
  return seeOther(`/admin/actions/${started}?refresh=2`);
}
