import { EVERYDAY_DOCUMENTS } from './everyday-documents.ts'
import { EVERYDAY_QUESTIONS } from './everyday-questions.ts'
import { EVERYDAY_ROLES } from './everyday-roles.ts'
import { EVERYDAY_SECRETS } from './everyday-secrets.ts'
import { EVERYDAY_TASKS } from './everyday-tasks.ts'
import { FORCED_WORDS } from './forced-words.ts'
import { FREED_ROLES } from './freed-roles.ts'
import { HIDDEN_ORDERS } from './hidden-orders.ts'
import { LEAKED_ORDERS } from './leaked-orders.ts'
import type { Row } from './rows.ts'
import { SECRET_HUNTS } from './secret-hunts.ts'

/** Texts of our own that were each written by themselves, without a template. */
export function writtenExamples(): Row[] {
  const rows = (texts: readonly string[], label: 0 | 1, set = 'written'): Row[] =>
    texts.map((text) => ({ text, label, set, licence: 'Apache-2.0' }))
  return [
    ...rows([...SECRET_HUNTS, ...FORCED_WORDS, ...LEAKED_ORDERS, ...FREED_ROLES], 1),
    ...rows(HIDDEN_ORDERS, 1, 'written-planted'),
    ...rows([...EVERYDAY_QUESTIONS, ...EVERYDAY_TASKS, ...EVERYDAY_DOCUMENTS], 0),
    ...rows([...EVERYDAY_ROLES, ...EVERYDAY_SECRETS], 0),
  ]
}
