/** Exports token usage and durations as OpenTelemetry metrics. */
import assert from 'node:assert/strict'
import { Agent, tool } from '@millrace/core'
import { ScriptedModel, toolCall } from '@millrace/testing'
import { metrics } from '@opentelemetry/api'
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics'
import { z } from 'zod'

// In production: an OTLP exporter, registered before the first run.
const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE)
const provider = new MeterProvider({ readers: [new PeriodicExportingMetricReader({ exporter })] })
metrics.setGlobalMeterProvider(provider)

const level = tool({ inputSchema: z.object({}), execute: () => 'The water stands at 2.1 m.' })
// A real model: openai('gpt-5-mini') from '@ai-sdk/openai'.
const model = new ScriptedModel([toolCall('level'), 'High enough.'])
const agent = new Agent({ name: 'mill', model, tools: { level } })
agent.on('model-start', ({ stepNumber, modelId }) => console.log(`step ${stepNumber} asks ${modelId}`))
agent.on('tool-start', ({ toolName }) => console.log(`executes ${toolName}`))

await agent.generate('Is there enough water?')
await agent.close()
await provider.shutdown()
metrics.disable()

const recorded = exporter
  .getMetrics()
  .flatMap(({ scopeMetrics }) => scopeMetrics.flatMap((scope) => scope.metrics))
for (const { descriptor, dataPoints } of recorded) console.log(descriptor.name, dataPoints.length)
assert.deepEqual(recorded.map(({ descriptor }) => descriptor.name).sort(), [
  'gen_ai.client.operation.duration',
  'gen_ai.client.operation.time_to_first_chunk',
  'gen_ai.client.token.usage',
  'gen_ai.execute_tool.duration',
  'gen_ai.invoke_agent.duration',
])
