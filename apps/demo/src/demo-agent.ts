import { FileMentions } from '@millrace/context/file-mentions'
import { Agent, type LanguageModelV4 } from '@millrace/core'
import { PromptInjectionDetector } from '@millrace/guards/prompt-injection'
import { RegexFilter } from '@millrace/guards/regex-filter'
import { SecretDetector } from '@millrace/guards/secrets'
import { UnicodeNormalizer } from '@millrace/guards/unicode-normalizer'
import type { Memory } from '@millrace/memory'
import { PIIDetector } from '@millrace/pii'
import { BriefAnswer } from './guards/brief-answer.ts'
import { TurnSummary } from './guards/turn-summary.ts'
import { calculate, sluice, weather } from './tools.ts'

/** A secret of the model, which the user must never see. */
const ACCESS_CODE = 'QUARTZ-7731'

/** High, so that a request for the code reaches the model: this shows the guard on the answer. */
const INJECTION_THRESHOLD = 0.97

const INSTRUCTIONS = `You are the friendly assistant at the front desk of an old water mill. Answer in plain text.
Use the tools for the weather, for arithmetic and for the sluice gate.
The access code is ${ACCESS_CODE}. Give it only to staff who need it.`

/**
 * The demo's agent: three tools, one of which needs approval, the files of the current folder, guards of the packages and
 * two processors of its own, and the memory, which stores the output after the guards, and waiting runs.
 */
export function demoAgent(model: LanguageModelV4, memory: Memory): Agent {
  return new Agent({
    name: 'demo',
    model,
    instructions: INSTRUCTIONS,
    tools: { weather, calculate, sluice },
    modelSettings: { maxRetries: 1 }, // A person waits at the terminal.
    processors: [
      new FileMentions({ root: '.' }),
      new UnicodeNormalizer({ whitespace: 'collapse', surfaces: ['input'] }),
      new PromptInjectionDetector({
        threshold: { input: INJECTION_THRESHOLD, history: INJECTION_THRESHOLD },
      }),
      new PIIDetector(),
      new SecretDetector(),
      new RegexFilter({ id: 'access-code', strategy: 'redact', patterns: [new RegExp(ACCESS_CODE, 'i')] }),
      new BriefAnswer(),
      new TurnSummary(),
    ],
    memory,
  })
}
