import { Agent, type Chunk, type Processor, tool } from '@millrace/core'
import {
  collect,
  file,
  finish,
  reasoning,
  ScriptedModel,
  type ScriptPart,
  source,
  text,
  toolCall,
  toolResult,
} from '@millrace/testing'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { Scanner } from '../scanner/scanner.ts'
import type { Finding, Surface } from './options.ts'
import {
  CHUNK_FIELDS,
  EVENT_FIELDS,
  type FieldSurface,
  RESULT_FIELDS,
  SPAN_FIELDS,
  STEP_FIELDS,
} from './surface-table.ts'
import { TextGuard } from './text-guard.ts'

const tables = [
  ...Object.values(CHUNK_FIELDS),
  ...Object.values(EVENT_FIELDS),
  RESULT_FIELDS,
  STEP_FIELDS,
  SPAN_FIELDS,
]

test('every field has a decision', () => {
  const known: FieldSurface[] = [
    ...(['input', 'history', 'tool-input', 'tool-result', 'reasoning', 'object', 'answer'] as const),
    ...(['provider', 'message', 'structure', 'application', 'asked'] as const),
  ]
  for (const table of tables) for (const surface of Object.values(table)) expect(known).toContain(surface)
})

const scanner = new Scanner([{ type: 'mark', pattern: /zqx-[a-z-]{1,40}/ }])
const inspected: ReadonlySet<FieldSurface> = new Set([
  'answer',
  'reasoning',
  'tool-input',
  'tool-result',
  'provider',
])

/** What a chunk would be with a mark in every field that is to be inspected. */
const marked: ScriptPart[] = [
  reasoning('zqx-thought ', { providerMetadata: { acme: { said: 'zqx-of-reasoning ' } } }),
  text('zqx-answer ', { providerMetadata: { acme: { said: 'zqx-of-text ' } } }),
  source({ url: 'https://example.com/?q=zqx-url', title: 'zqx-title ' }),
  file('text/plain', new TextEncoder().encode('zqx-file ')),
  toolCall(
    'search',
    { q: 'zqx-asked ' },
    { id: 'p', providerExecuted: true, providerMetadata: { acme: { said: 'zqx-of-call ' } } },
  ),
  toolResult('search', { hit: 'zqx-found ' }, { id: 'p' }),
  toolCall('look', { at: 'zqx-input ' }),
  finish({ providerMetadata: { acme: { said: 'zqx-of-step ' } } }),
]

const look = tool({ inputSchema: z.any(), execute: () => ({ seen: 'zqx-output ' }) })

test('what the table says of chunks is so: marks are found where it says, and come out nowhere', async () => {
  const findings: Finding[] = []
  const before: Chunk[] = []
  const watch: Processor = {
    id: 'watch',
    processOutputStream: ({ part }) => {
      before.push(structuredClone(part))
      return part
    },
  }
  const guard = new TextGuard({ id: 'g', scanner, onDetection: (finding) => findings.push(finding) })
  const model = new ScriptedModel([marked, 'Done.'])
  const agent = new Agent({ model, tools: { look }, outputProcessors: [watch, guard] })
  const chunks = await collect(agent.stream('Hi').fullStream)
  expect(JSON.stringify(chunks)).not.toContain('zqx-')
  const surfaces = new Set<Surface>()
  for (const chunk of before) {
    const { type, ...fields } = chunk
    const table = CHUNK_FIELDS[type as keyof typeof CHUNK_FIELDS] as Record<string, FieldSurface>
    for (const [field, value] of Object.entries(fields)) {
      const surface = table[field]
      expect(surface, `${type}.${field}`).toBeDefined()
      const hasMark = decodeURIComponent(JSON.stringify(value) ?? '').includes('zqx-')
      // What bears a mark is a field that is inspected.
      if (hasMark) expect(inspected.has(surface as FieldSurface), `${type}.${field} is ${surface}`).toBe(true)
      if (hasMark) surfaces.add(surface === 'provider' ? 'answer' : (surface as Surface))
    }
  }
  for (const surface of surfaces) expect(findings.map((finding) => finding.surface)).toContain(surface)
  expect([...surfaces].sort()).toEqual(['answer', 'reasoning', 'tool-input', 'tool-result'])
})
