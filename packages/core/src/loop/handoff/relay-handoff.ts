import type { Chunk, ChunkOf } from '../../results/chunk.ts'
import type { StepRequest } from '../../results/result.ts'
import type { HandoffState, LiveHandoff, RelayedStep } from '../../run/handoff.ts'
import type { Run } from '../../run/run.ts'
import type { Step } from '../../run/step.ts'
import { Suspend, TripWire } from '../../signals.ts'
import { type AgentSuspensionPayload, payloadOf } from '../../tools/waiting-calls.ts'
import { partsOfLastStep, partsOfSteps } from '../../transcript/step-parts.ts'
import { loadHookKit } from '../hooks-on-demand.ts'
import { proseChunks } from '../output/held-chunks.ts'
import type { StepOutput } from '../output/step-output.ts'
import { callsOfHandoff, waitedBefore } from '../tools/calls-in-wait.ts'
import { cross } from '../tools/crossing.ts'
import { countUsage } from './count-usage.ts'
import { openHandoff } from './open-handoff.ts'

/** Thrown when the agent has discarded the step that this step relays. This step starts again. */
export class StepRetracted {
  readonly reason: string

  constructor(reason: string) {
    this.reason = reason
  }
}

/** The request of a step that relays an agent: this agent's model is not called. */
const NO_REQUEST: StepRequest = {
  provider: '',
  modelId: '',
  modelSettings: {},
  tools: [],
  toolChoice: undefined,
  messageCount: 0,
}

/**
 * Relays the agent that has the turn, in place of a model's response. Each of its steps with text or data becomes a
 * step of this run and passes this run's processors. Its tool calls and results are not relayed.
 *
 * @throws {Suspend} if the agent has suspended
 * @throws {TripWire} if a processor of the agent has aborted it
 */
export async function relayHandoff(run: Run, step: Step, output: StepOutput): Promise<void> {
  const state = run.state.handoff as HandoffState
  if (state.waiting && !run.resumption) throw suspension(run)
  run.handoff ??= await openHandoff(run, state)
  run.structuredOutput = run.settings.structuredOutput
  step.state.agentName = run.handoff.agentName
  step.state.request = { ...NO_REQUEST }
  await new Relay(run, step, { output, state, live: run.handoff }).read()
  await output.endResponse()
}

class Relay {
  readonly #run: Run
  readonly #step: Step
  readonly #output: StepOutput
  readonly #state: HandoffState
  readonly #live: LiveHandoff
  #hasBegun = false
  /** The agent's step that this step relays is complete. */
  #isComplete = false

  constructor(
    run: Run,
    step: Step,
    { output, state, live }: { output: StepOutput; state: HandoffState; live: LiveHandoff },
  ) {
    this.#run = run
    this.#step = step
    this.#output = output
    this.#state = state
    this.#live = live
  }

  /** Reads until the agent's next step begins, or its run ends. */
  async read(): Promise<void> {
    const { replacement } = this.#live
    if (replacement) await this.#replace(replacement)
    for (;;) {
      const chunk = await this.#next()
      if (this.#isComplete && isRelayedChunk(chunk)) {
        // A chunk outside a step of the agent, such as the answer of a processor.
        this.#live.pending = chunk
        return
      }
      switch (chunk.type) {
        case 'step-start':
          this.#live.agentStep = chunk.stepNumber
          if (this.#hasBegun) return
          break
        case 'step-finish':
          this.#step.readFinish(chunk)
          this.#live.agentStep = undefined
          this.#isComplete = this.#hasBegun
          break
        case 'step-discarded':
          await this.#discardStep(chunk)
          break
        case 'response-replaced':
          await this.#takeChanges(chunk)
          break
        case 'tripwire':
          throw new TripWire(`The agent '${this.#live.agentName}' was stopped: ${chunk.reason}`)
        case 'suspended':
          return this.#suspend(chunk)
        case 'abort':
          await countUsage(this.#run, this.#live)
          this.#run.abort(chunk.reason)
          this.#run.throwIfOver()
          break
        case 'error':
          throw chunk.error
        case 'finish':
          return this.#finish(chunk)
        default:
          if (isRelayedChunk(chunk)) await this.#passOn(chunk)
      }
    }
  }

  async #next(): Promise<Chunk> {
    const { pending } = this.#live
    this.#live.pending = undefined
    if (pending) return pending
    const { value: chunk } = await this.#live.chunks.next()
    this.#run.throwIfOver()
    if (chunk === undefined) throw await this.#failure()
    return chunk
  }

  async #passOn(chunk: Chunk): Promise<void> {
    await this.#begin()
    await this.#output.push(chunk)
  }

  async #begin(): Promise<void> {
    if (this.#hasBegun) return
    this.#hasBegun = true
    const { agentStep } = this.#live
    if (agentStep !== undefined) this.#state.relayed.push({ agentStep, step: this.#step.number })
    this.#state.waitsForReview = this.#live.waitsForReview()
    this.#run.waitsForReview ||= this.#state.waitsForReview
    await this.#output.start(this.#run.structuredOutput)
  }

  /**
   * The agent has discarded a step. If it had suspended in between, an earlier step of this run may have relayed
   * parts of it.
   */
  async #discardStep({
    stepNumber,
    reason = 'The agent discarded it.',
  }: ChunkOf<'step-discarded'>): Promise<void> {
    const isDiscarded = ({ agentStep }: RelayedStep): boolean => agentStep === stepNumber
    await this.#takeBack(isDiscarded)
    this.#state.relayed = this.#state.relayed.filter((relayed) => !isDiscarded(relayed))
    this.#state.waitsForReview = false
    if (this.#hasBegun) throw new StepRetracted(reason)
  }

  /** The agent's processors have changed what was relayed. Its last step is relayed again, as they left it. */
  async #takeChanges({ messages, fromStep }: ChunkOf<'response-replaced'>): Promise<void> {
    const { relayed } = this.#state
    const last = relayed.at(-1)
    if (!last) return
    const isChanged = ({ agentStep }: RelayedStep): boolean => agentStep >= (fromStep ?? last.agentStep)
    await this.#takeBack(isChanged)
    this.#state.relayed = relayed.filter(({ agentStep }) => agentStep !== last.agentStep)
    const answers = messages.filter(({ role }) => role === 'assistant')
    const replacement = { agentStep: last.agentStep, parts: partsOfLastStep(answers) }
    if (!this.#hasBegun) return this.#replace(replacement)
    this.#live.replacement = replacement
    throw new StepRetracted('The agent changed its answer.')
  }

  /** Removes the text of earlier steps. If the current step is to be discarded too, readers are told then. */
  async #takeBack(isGone: (relayed: RelayedStep) => boolean): Promise<void> {
    const gone = this.#state.relayed.filter(
      (relayed) => relayed.step !== this.#step.number && isGone(relayed),
    )
    if (gone.length === 0) return
    await loadHookKit()
    this.#output.watch()
    for (const { step } of gone) removeText(this.#run, step)
    if (!this.#hasBegun) await this.#output.tell()
  }

  async #finish({ status, finishReason }: ChunkOf<'finish'>): Promise<void> {
    await countUsage(this.#run, this.#live)
    this.#step.state.finishReason = finishReason
    this.#state.ended = status === 'limit' ? 'limit' : 'completed'
    this.#run.handoff = undefined
    await this.#begin()
  }

  async #replace({ agentStep, parts }: NonNullable<LiveHandoff['replacement']>): Promise<void> {
    this.#live.replacement = undefined
    this.#isComplete = this.#live.agentStep === undefined
    this.#step.state.finishReason = 'stop'
    const { agentStep: current } = this.#live
    this.#live.agentStep = agentStep
    await this.#begin()
    this.#live.agentStep = current
    for (const [index, part] of parts.entries()) {
      if (part.type !== 'text' && part.type !== 'reasoning') continue
      for (const chunk of proseChunks(part, `${part.type}-${index}`)) await this.#output.push(chunk)
    }
  }

  /** Suspends the run at the start of a step: what this step has relayed is complete. */
  async #suspend({ runId, payload }: ChunkOf<'suspended'>): Promise<void> {
    const { agentName, origin } = this.#live
    const { step, ...call } = origin
    const waiting: AgentSuspensionPayload = { type: 'agent', agentName, runId, payload }
    const shown = await cross(this.#run, step, { ...call, direction: 'out', value: waiting, isPayload: true })
    this.#state.waiting = shown as AgentSuspensionPayload
    this.#run.handoff = undefined
    if (!this.#isComplete) this.#step.state.finishReason = 'other'
    if (!this.#hasBegun) throw suspension(this.#run)
  }

  /** The reason if the agent's stream has ended without a final chunk. */
  async #failure(): Promise<unknown> {
    return this.#live.result.then(
      ({ abortReason }) => abortReason,
      (error) => error,
    )
  }
}

/** Whether a chunk is relayed: text, reasoning or data, and not the structure of the stream or the agent's tools. */
function isRelayedChunk({ type }: Chunk): boolean {
  return RELAYED_TYPES.has(type) || type.startsWith('data-')
}

const RELAYED_TYPES: ReadonlySet<Chunk['type']> = new Set([
  'text-start',
  'text-delta',
  'text-end',
  'reasoning-start',
  'reasoning-delta',
  'reasoning-end',
  'file',
  'reasoning-file',
  'source',
  'custom',
])

function suspension(run: Run): Suspend {
  const waiting = callsOfHandoff(run)
  run.suspendedIn = 'handoff'
  run.waitsOn = waitedBefore(run, waiting)
  const signal = new Suspend(payloadOf(waiting))
  signal.toolCallId = run.state.handoff?.toolCallId
  return signal
}

/**
 * Removes what an earlier step has relayed from the transcript: the agent has changed it since, and the new content
 * has not passed this run's processors.
 */
function removeText(run: Run, number: number): void {
  const written = run.steps.filter(({ state }) => state.wrote)
  const messages = run.messageList.get('response')
  const marks = messages.flatMap(({ content }) => content.parts).filter(({ type }) => type === 'step-start')
  const count = Math.max(written.length, marks.length)
  const { parts, aligned } = partsOfSteps(messages, count)
  const index = written.findIndex((step) => step.number === number)
  const step = written[index]
  if (!step) return
  if (!aligned)
    throw new TripWire('The agent changed its earlier text, which is no longer in the transcript.')
  const taken = new Set(parts[index])
  for (const { content } of messages) content.parts = content.parts.filter((part) => !taken.has(part))
  Object.assign(step.state, { text: '', reasoningText: '' })
  step.changed()
}
