import { type Histogram, type MeterProvider, ValueType } from '@opentelemetry/api'
import { SCOPE } from './scope.ts'
import {
  LATER_METRIC_GEN_AI_EXECUTE_TOOL_DURATION,
  LATER_METRIC_GEN_AI_INVOKE_AGENT_DURATION,
  METRIC_GEN_AI_CLIENT_OPERATION_DURATION,
  METRIC_GEN_AI_CLIENT_OPERATION_TIME_TO_FIRST_CHUNK,
  METRIC_GEN_AI_CLIENT_TOKEN_USAGE,
} from './semantic-conventions.ts'

/** The metrics of runs. Durations are in seconds. */
export interface Instruments {
  readonly operationDuration: Histogram
  readonly timeToFirstChunk: Histogram
  readonly tokenUsage: Histogram
  readonly toolDuration: Histogram
  readonly agentDuration: Histogram
}

/** Bucket boundaries of the conventions, doubling: for calls and tools from 10 ms, for runs from 100 ms. */
const CALL_SECONDS = doubled(0.01, 14)
const RUN_SECONDS = doubled(0.1, 13)
/** Powers of 4. */
const TOKENS = Array.from({ length: 14 }, (_, power) => 4 ** power)

/** Instruments by meter provider, shared by all runs. */
const known = new WeakMap<MeterProvider, Instruments>()

/** The instruments of a meter provider. */
export function instrumentsOf(provider: MeterProvider): Instruments {
  let instruments = known.get(provider)
  if (!instruments) {
    instruments = create(provider)
    known.set(provider, instruments)
  }
  return instruments
}

function create(provider: MeterProvider): Instruments {
  const meter = provider.getMeter(...SCOPE)
  const seconds = (name: string, description: string, bounds: readonly number[]): Histogram =>
    meter.createHistogram(name, {
      description,
      unit: 's',
      valueType: ValueType.DOUBLE,
      advice: { explicitBucketBoundaries: [...bounds] },
    })
  return {
    operationDuration: seconds(
      METRIC_GEN_AI_CLIENT_OPERATION_DURATION,
      'Duration of a model call, including its retries.',
      CALL_SECONDS,
    ),
    timeToFirstChunk: seconds(
      METRIC_GEN_AI_CLIENT_OPERATION_TIME_TO_FIRST_CHUNK,
      'Time to the first content of a response, including retries.',
      CALL_SECONDS,
    ),
    tokenUsage: meter.createHistogram(METRIC_GEN_AI_CLIENT_TOKEN_USAGE, {
      description: 'Number of input and output tokens used by a model call.',
      unit: '{token}',
      valueType: ValueType.INT,
      advice: { explicitBucketBoundaries: TOKENS },
    }),
    toolDuration: seconds(
      LATER_METRIC_GEN_AI_EXECUTE_TOOL_DURATION,
      'Duration of a tool execution.',
      CALL_SECONDS,
    ),
    agentDuration: seconds(
      LATER_METRIC_GEN_AI_INVOKE_AGENT_DURATION,
      'Duration of a run of an agent.',
      RUN_SECONDS,
    ),
  }
}

/** Rounded because of floating-point errors. */
function doubled(first: number, count: number): number[] {
  return Array.from({ length: count }, (_, power) => Number((first * 2 ** power).toFixed(2)))
}
