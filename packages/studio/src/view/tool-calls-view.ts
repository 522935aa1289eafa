import { type Chunk, isRecord } from '@millrace/core'
import { waitingCallsOf } from '@millrace/core/recording'
import type { RecordedEvent, RecordedResult } from '../record/recorded-event.ts'
import type { ToolCallView } from '../wire.ts'
import type { Shown } from './text.ts'

interface Call {
  stepNumber: number
  toolCallId: string
  toolName: string
  state: ToolCallView['state']
  input?: unknown
  output?: unknown
  error?: string
  at?: number
  durationMs?: number
  retries: number
  approval?: NonNullable<ToolCallView['approval']>
  childId?: string
}

/** The tool calls of a run: requests, approvals, executions and results. */
export class ToolCallsView {
  readonly #calls = new Map<string, Call>()

  addOutput(chunk: Chunk, stepNumber: number): void {
    switch (chunk.type) {
      case 'tool-call': {
        const call = this.#callOf(chunk, stepNumber)
        call.input = chunk.input
        return
      }
      case 'tool-result': {
        const call = this.#callOf(chunk, stepNumber)
        if (chunk.preliminary) {
          if (isRecord(chunk.output) && typeof chunk.output.runId === 'string')
            call.childId = chunk.output.runId
          return
        }
        Object.assign(call, { input: chunk.input, output: chunk.output, state: 'done' })
        return
      }
      case 'tool-error':
        Object.assign(this.#callOf(chunk, stepNumber), {
          input: chunk.input,
          error: chunk.error,
          state: 'error',
        })
        return
      case 'tool-denied': {
        const call = this.#callOf(chunk, stepNumber)
        Object.assign(call, { input: chunk.input, state: 'denied' })
        if (chunk.reason !== undefined) call.error = chunk.reason
        if (call.approval) call.approval = { state: 'denied', ...(chunk.reason && { reason: chunk.reason }) }
        return
      }
      default:
        return
    }
  }

  start({ toolCallId, toolName, stepNumber, at }: Extract<RecordedEvent, { name: 'tool-start' }>): void {
    const call = this.#callOf({ toolCallId, toolName }, stepNumber)
    call.at = at
    call.state = 'running'
    if (call.approval?.state === 'asked') call.approval = { state: 'approved' }
  }

  finish(event: Extract<RecordedEvent, { name: 'tool-finish' }>): void {
    const call = this.#callOf(event, event.stepNumber)
    call.durationMs = event.durationMs
    call.retries = event.retries
    if (call.state === 'running') {
      call.state = event.status === 'success' ? 'done' : event.status === 'error' ? 'error' : 'waiting'
    }
  }

  /** The result has the calls as they were executed, also those that were not emitted. */
  end({ steps, suspension }: RecordedResult): void {
    for (const { stepNumber, toolCalls, toolResults } of steps) {
      for (const given of toolCalls) this.#callOf(given, stepNumber).input = given.input
      for (const result of toolResults) {
        const call = this.#callOf(result, stepNumber)
        if ('output' in result && call.output === undefined) Object.assign(call, { output: result.output })
        if ('error' in result && call.error === undefined)
          Object.assign(call, { error: String(result.error) })
        if (call.state === 'requested') call.state = 'error' in result ? 'error' : 'done'
      }
    }
    this.#wait(suspension?.payload, steps.length)
  }

  ofStep(stepNumber: number, { shown, startedAt }: { shown: Shown; startedAt: number }): ToolCallView[] {
    return [...this.#calls.values()].filter((call) => call.stepNumber === stepNumber).map(view)

    function view(call: Call): ToolCallView {
      const {
        toolCallId,
        toolName,
        state,
        input,
        output,
        error,
        at,
        durationMs,
        retries,
        approval,
        childId,
      } = call
      return {
        toolCallId,
        toolName: shown.words(toolName),
        state,
        ...(input !== undefined && { input: shown.json(input) }),
        ...(output !== undefined && { output: shown.json(output) }),
        ...(error !== undefined && { error: shown.text(error) }),
        ...(at !== undefined && { atMs: at - startedAt }),
        ...(durationMs !== undefined && { durationMs }),
        retries,
        ...(approval && {
          approval: {
            state: approval.state,
            ...(approval.reason !== undefined && { reason: shown.words(approval.reason) }),
          },
        }),
        ...(childId !== undefined && { runId: childId }),
      }
    }
  }

  get steps(): Set<number> {
    return new Set([...this.#calls.values()].map(({ stepNumber }) => stepNumber))
  }

  /** Marks the calls that a suspended run waits for. */
  #wait(payload: unknown, stepNumber: number): void {
    for (const waiting of waitingCallsOf(payload)) {
      const { toolCallId, toolName, input, waitsFor, agentName } = waiting
      // Calls of other agents are in their own runs.
      if (agentName !== undefined || typeof toolName !== 'string') continue
      const call = this.#callOf({ toolCallId, toolName }, stepNumber)
      call.input ??= input
      call.state = waitsFor === 'outcome' ? 'interrupted' : 'waiting'
      if (waitsFor !== 'approval') continue
      const { reason } = waiting
      call.approval = { state: 'asked', ...(typeof reason === 'string' && { reason }) }
    }
  }

  #callOf({ toolCallId, toolName }: { toolCallId: string; toolName: string }, stepNumber: number): Call {
    let call = this.#calls.get(toolCallId)
    if (!call) {
      call = { stepNumber, toolCallId, toolName, state: 'requested', retries: 0 }
      this.#calls.set(toolCallId, call)
    }
    return call
  }
}
