import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { measure } from '../src/measure.ts'
import { StreamModel, textAnswer, toolAnswer } from '../src/stream-model.ts'
import { toTable } from '../src/table.ts'
import { aiSdk } from './ai-sdk.ts'
import { langchain } from './langchain.ts'
import { mastra } from './mastra.ts'
import { openTurnKeepers } from './memory-turn.ts'
import { millrace } from './millrace.ts'
import { openaiAgents } from './openai-agents.ts'
import { CHUNKS, LAST_CHUNKS, type Peer } from './peer.ts'

const { values: flags } = parseArgs({
  options: { json: { type: 'string' }, quick: { type: 'boolean', default: false } },
})
const peers: readonly Peer[] = [millrace, aiSdk, mastra, langchain, openaiAgents]
const rounds = flags.quick ? { rounds: 7, warmups: 3 } : { rounds: 31, warmups: 10 }

// Some frameworks log warnings about a model without a provider.
console.warn = () => {}

const text = new StreamModel(textAnswer(CHUNKS))
const turn = new StreamModel(textAnswer(LAST_CHUNKS))
const toolStep = new StreamModel(toolAnswer('weather', { city: 'Oslo' }), textAnswer(LAST_CHUNKS))
const remembered = await measureTurns()
const measurements = [
  ...(await contest('1,000 text chunks', { floor: [text], of: (peer) => peer.text })),
  ...(await contest('with ten stages', { floor: [text], of: (peer) => peer.textWithTen })),
  ...(await contest('with a guard for personal data', { floor: [text], of: (peer) => peer.textWithGuard })),
  ...(await contest('with four guards', { floor: [text], of: (peer) => peer.textWithFourGuards })),
  ...(await contest('a turn with memory', { floor: [turn], of: (peer) => peer.memoryTurn })),
  ...(await contest('one tool step', { floor: [toolStep, toolStep], of: (peer) => peer.toolStep })),
  ...remembered.measurements,
]
const reports = [{ suite: 'peers', measurements, figures: [...leads(), ...remembered.figures] }]
process.stdout.write(`${toTable(reports)}\n`)
if (flags.json !== undefined) writeFileSync(flags.json, `${JSON.stringify(reports, null, 2)}\n`)

function contest(
  name: string,
  { floor, of }: { floor: StreamModel[]; of: (peer: Peer) => (() => Promise<void>) | undefined },
) {
  const contestants = peers.flatMap((peer) => {
    const run = of(peer)
    return run ? [{ name: peer.name, run: () => repeat(run) }] : []
  })
  const bare = async () => {
    for (const model of floor) await readModel(model)
  }
  return measure({
    name,
    contestants: [{ name: 'bare reader', run: () => repeat(bare) }, ...contestants],
    ...rounds,
  })
}

/** A turn with stored history: the last messages are read, and two are saved. */
async function measureTurns() {
  const { keepers, remove } = await openTurnKeepers()
  const [byHand, ...others] = keepers.map(({ name, turn }) => ({ name, run: () => repeat(turn) }))
  if (!byHand) throw new Error('Nobody does a turn.')
  const measured = await measure({
    name: 'a turn that is remembered',
    contestants: [byHand, ...others],
    ...rounds,
  })
  const counts = await Promise.all(keepers.map(({ count }) => count()))
  await remove()
  if (new Set(counts).size > 1)
    throw new Error(`The stores have different numbers of messages: ${counts.join(', ')}.`)
  const [, ours, mastras] = measured.map(({ median }) => median)
  const value = (mastras ?? Number.NaN) / (ours ?? Number.NaN)
  const unit = 'times (at least 2 is wanted)'
  return {
    measurements: measured,
    figures: [{ name: 'a turn that is remembered: Mastra over Millrace', value, unit }],
  }
}

/** How many times faster Millrace is than the fastest other framework. */
function leads() {
  const contests = new Set(
    measurements.filter((one) => !remembered.measurements.includes(one)).map((one) => one.contest),
  )
  return [...contests].map((name) => {
    const own = measurements.filter(({ contest, name: who }) => contest === name && who !== 'bare reader')
    const [ours, ...others] = own.map(({ median }) => median)
    const value = Math.min(...others) / (ours ?? Number.NaN)
    return { name: `${name}: the fastest other over Millrace`, value, unit: 'times (at least 2 is wanted)' }
  })
}

async function readModel(model: StreamModel): Promise<void> {
  const { stream } = await model.doStream()
  for await (const _ of stream) {
    // Measures only reading.
  }
}

async function repeat(run: () => Promise<void>): Promise<void> {
  for (let time = 0; time < 5; time++) await run()
}
