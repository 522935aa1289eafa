import type { Row } from './rows.ts'
import { EVERYDAY_DOCUMENTS } from './texts/everyday-documents.ts'
import { EVERYDAY_QUESTIONS } from './texts/everyday-questions.ts'
import { EVERYDAY_ROLES } from './texts/everyday-roles.ts'
import { EVERYDAY_SECRETS } from './texts/everyday-secrets.ts'
import { EVERYDAY_TASKS } from './texts/everyday-tasks.ts'
import { FORCED_ANSWERS } from './texts/forced-answers.ts'
import { FORCED_WORDS } from './texts/forced-words.ts'
import { FREED_ROLES } from './texts/freed-roles.ts'
import { HIDDEN_ORDERS } from './texts/hidden-orders.ts'
import { LEAKED_ORDERS } from './texts/leaked-orders.ts'
import { PLAIN_CHAT } from './texts/plain-chat.ts'
import { PLAIN_COMMANDS } from './texts/plain-commands.ts'
import { PLAIN_FOLLOW_UPS } from './texts/plain-follow-ups.ts'
import { PLAIN_PASSAGES } from './texts/plain-passages.ts'
import { PLAIN_ROLES } from './texts/plain-roles.ts'
import { PLAIN_TASKS } from './texts/plain-tasks.ts'
import { PLANTED_TASKS } from './texts/planted-tasks.ts'
import { SCENE_SETTING } from './texts/scene-setting.ts'
import { SECRET_GAMES } from './texts/secret-games.ts'
import { SECRET_HUNTS } from './texts/secret-hunts.ts'

const HARMLESS: readonly (readonly string[])[] = [
  EVERYDAY_QUESTIONS,
  EVERYDAY_TASKS,
  EVERYDAY_DOCUMENTS,
  EVERYDAY_ROLES,
  EVERYDAY_SECRETS,
  PLAIN_CHAT,
  PLAIN_COMMANDS,
  PLAIN_FOLLOW_UPS,
  PLAIN_TASKS,
  PLAIN_PASSAGES,
  PLAIN_ROLES,
]

const ATTACKS: readonly (readonly string[])[] = [
  SECRET_HUNTS,
  SECRET_GAMES,
  FORCED_WORDS,
  FORCED_ANSWERS,
  LEAKED_ORDERS,
  FREED_ROLES,
  SCENE_SETTING,
]

/** Attacks within documents that are harmless but for them. */
const PLANTED: readonly (readonly string[])[] = [HIDDEN_ORDERS, PLANTED_TASKS]

/** Texts of our own that were each written by themselves, without a template. */
export function writtenExamples(): Row[] {
  const rows = (lists: readonly (readonly string[])[], label: 0 | 1, set: string): Row[] =>
    lists.flat().map((text) => ({ text, label, set, licence: 'Apache-2.0' }))
  return [
    ...rows(ATTACKS, 1, 'written'),
    ...rows(PLANTED, 1, 'written-planted'),
    ...rows(HARMLESS, 0, 'written'),
  ]
}
