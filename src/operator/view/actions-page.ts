/** The pages of actions: what operators have asked for, how far it has come, and what was refused. */
import type { OperatorAction } from '../actions/action-row.js';
import { describeFilter, type Forms, stopForm, TITLES } from './forms.js';
import { type Html, html } from './html.js';
import { ago, facts, pill, table } from './layout.js';

/** @param executed whether a living process serves maintenance, which executes actions */
export function actionsPage(actions: readonly OperatorAction[], now: Date, executed: boolean): Html {
  return html`<section><p>Actions are executed by the maintenance process, one after another.</p>${notExecuted(executed)}${table(
    'Actions',
    ['Action', 'What', 'State', 'Done', 'Refused', 'Requested', 'By'],
    actions.map((action) => [
      html`<a href="/admin/actions/${action.id}">${TITLES[action.action] ?? action.action}<span class="skip"> ${action.id}</span></a>`,
      describeFilter(action.filter),
      state(action, executed),
      action.done,
      action.refused,
      ago(action.createdAt, now),
      html`<span class="id">${action.actor.id}</span>`,
    ]),
    'No action has been requested yet.',
  )}</section>`;
}

export function actionPage(action: OperatorAction, now: Date, forms: Forms, executed: boolean): Html {
  return html`<section>${action.outcome === null && notExecuted(executed)}<p class="answer">${state(action, executed)} ${TITLES[action.action] ?? action.action}: ${describeFilter(action.filter)}</p>
${action.message !== null && html`<p>${action.message}</p>`}
${facts([
  ['Done', action.done],
  ['Refused', action.refused],
  ['Requested', ago(action.createdAt, now)],
  ['Begun', ago(action.startedAt, now)],
  ['Ended', ago(action.completedAt, now)],
  ['Token of the operator', action.actor.id],
  ['From the address', action.actor.address],
])}
${
  action.outcome === null &&
  html`<div class="actions">${action.stopRequestedAt === null ? stopForm(forms, action.id) : html`<p>It stops after the present target.</p>`}</div>`
}</section>
<section><h2>What was refused, and why</h2>${table(
    'Refusals',
    ['Job or endpoint', 'Why'],
    action.refusals.map(({ id, message }) => [html`<span class="id">${id}</span>`, message]),
    'Nothing was refused.',
  )}</section>`;
}

function notExecuted(executed: boolean): Html {
  if (executed) return html``;
  return html`<p>${pill('not executed', 'bad')} No process serves maintenance: start one with <code>npm run worker -- maintenance</code>.</p>`;
}

function state({ outcome, startedAt }: OperatorAction, executed: boolean): Html {
  if (outcome === 'DONE') return pill('done', 'good');
  if (outcome !== null) return pill(outcome.toLowerCase(), 'bad');
  if (startedAt !== null && !executed) return pill('interrupted', 'busy');
  return startedAt === null ? pill('waits', 'plain') : pill('running', 'busy');
}
