import { parseArgs } from 'node:util'
import type { Row } from '@millrace/injection-model'
import {
  evaluateInjection,
  evaluateInjectionFolds,
  type Report,
  readRows,
  toMarkdown,
} from '@millrace/injection-model'
import { evaluateLeaks, type LeakRow } from './leaks.ts'
import { requireLicences } from './licences.ts'
import { evaluateModeration, evaluateModerationRows, type ModerationRow } from './moderation.ts'
import { evaluatePIICases, type PIICase } from './pii-cases.ts'
import { evaluatePIIDocuments, type PIIDocument } from './pii-documents.ts'
import { evaluateSecrets, type SecretRow } from './secrets.ts'
import { evaluateSpeed } from './speed.ts'
import { evaluateTokens, type TokenRow } from './tokens.ts'

const USAGE = `Usage: evaluate <folder> [--json] [--mistakes] [--speed] [--hostile]

Scores the guards on the labeled files of a folder: pii_cases, pii_documents, secrets, tokens, injection, moderation (rows of text, label,
set, licence), leaks (rows of instructions, text, leak), each as .json or .jsonl, also with .gz. Missing files are skipped. The
profanity filter and the scrubber of system prompts are also scored on built-in texts.

  --json      prints JSON instead of Markdown
  --mistakes  prints missed and wrong findings
  --folds     cross-validates the injection classifier, which takes minutes
  --speed     only measures the speed of the guards, on pii_documents
  --hostile   measures the growth of time with hostile text, which takes a minute
`

/** Maximum number of answers without leaks, for the scrubber. */
const MOST_HARMLESS = 500

/** Below the maximum input of an agent, in UTF-16 units. */
const SPEED_LENGTH = 400_000

const OPTIONS = {
  allowPositionals: true,
  options: {
    json: { type: 'boolean', default: false },
    mistakes: { type: 'boolean', default: false },
    folds: { type: 'boolean', default: false },
    speed: { type: 'boolean', default: false },
    hostile: { type: 'boolean', default: false },
  },
} as const

const { values: flags, positionals } = readArguments()
const [folder] = positionals

if (folder === undefined) {
  process.stderr.write(USAGE)
  process.exitCode = 1
} else {
  const reports = await evaluate(folder).catch(fail)
  const shown = flags.mistakes
    ? reports
    : reports.map(({ mistakes: _, ...report }) => ({ ...report, mistakes: [] }))
  if (flags.json) process.stdout.write(`${JSON.stringify(shown, null, 2)}\n`)
  else {
    process.stdout.write(`${toMarkdown(shown)}\n`)
    for (const { mistakes } of shown) {
      for (const mistake of mistakes) process.stdout.write(`${JSON.stringify(mistake)}\n`)
    }
  }
}

function readArguments(): ReturnType<typeof parseArgs<typeof OPTIONS>> {
  try {
    return parseArgs(OPTIONS)
  } catch (error) {
    process.stderr.write(USAGE)
    return fail(error)
  }
}

function fail(error: unknown): never {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`)
  process.exit(1)
}

async function evaluate(from: string): Promise<Report[]> {
  const reports: Report[] = []
  const cases = readRows<PIICase>(from, 'pii_cases')
  const documents = readRows<PIIDocument>(from, 'pii_documents')
  if (flags.speed) return documents ? [await speedOn(documents)] : []
  const secrets = readRows<SecretRow>(from, 'secrets')
  const tokens = readRows<TokenRow>(from, 'tokens')
  if (cases) reports.push(await evaluatePIICases(cases))
  if (documents) reports.push(await evaluatePIIDocuments(documents))
  const injections = readRows<Row>(from, 'injection')
  if (injections) {
    requireLicences('injection', injections)
    reports.push(await evaluateInjection(injections))
  }
  if (injections && flags.folds) {
    for (const parting of ['by beginnings', 'at random', 'by sets'] as const) {
      reports.push(await evaluateInjectionFolds(injections, parting))
    }
  }
  if (secrets) reports.push(await evaluateSecrets(secrets))
  if (tokens) reports.push(await evaluateTokens(tokens))
  reports.push(await evaluateModeration())
  const moderation = readRows<ModerationRow>(from, 'moderation')
  if (moderation) reports.push(await evaluateModerationRows(moderation))
  const harmless = injections?.filter(({ label }) => label === 0).map(({ text }) => text) ?? []
  reports.push(await evaluateLeaks(readRows<LeakRow>(from, 'leaks'), harmless.slice(0, MOST_HARMLESS)))
  if (documents) reports.push(await speedOn(documents))
  return reports
}

function speedOn(documents: readonly PIIDocument[]): Promise<Report> {
  const once = documents.map((document) => document.text).join('\n\n')
  const text = once.repeat(Math.ceil(SPEED_LENGTH / once.length)).slice(0, SPEED_LENGTH)
  return evaluateSpeed(text, { hostile: flags.hostile })
}
