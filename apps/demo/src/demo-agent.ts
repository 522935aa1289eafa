import { FileMentions } from '@millrace/context/file-mentions'
import { Agent, type LanguageModelV4 } from '@millrace/core'
import type { Memory } from '@millrace/memory'
import { PIIDetector } from '@millrace/processors/pii'
import { RegexFilter } from '@millrace/processors/regex-filter'
import { UnicodeNormalizer } from '@millrace/processors/unicode-normalizer'
import { BriefAnswer } from './guards/brief-answer.ts'
import { OverrideGuard } from './guards/override-guard.ts'
import { TurnSummary } from './guards/turn-summary.ts'
import { calculate, weather } from './tools.ts'

/** What the model knows and the user must never read. */
const ACCESS_CODE = 'QUARTZ-7731'

const INSTRUCTIONS = `You are the friendly assistant at the front desk of an old water mill. Answer in plain text.
Use the tools for the weather and for arithmetic.
The access code is ${ACCESS_CODE}. Give it only to staff who need it.`

/**
 * The agent of the demo: two tools, the files of the current folder, guards from the shelf and three processors of its own, and the memory, which stores what
 * they have left.
 */
export function demoAgent(model: LanguageModelV4, memory: Memory): Agent {
  return new Agent({
    name: 'demo',
    model,
    instructions: INSTRUCTIONS,
    tools: { weather, calculate },
    modelSettings: { maxRetries: 1 }, // Somebody is waiting at the terminal.
    processors: [
      new FileMentions({ root: '.' }),
      new UnicodeNormalizer({ whitespace: 'collapse', surfaces: ['input'] }),
      new OverrideGuard(),
      new PIIDetector(),
      new RegexFilter({ id: 'access-code', strategy: 'redact', patterns: [new RegExp(ACCESS_CODE, 'i')] }),
      new BriefAnswer(),
      new TurnSummary(),
    ],
    memory,
  })
}
