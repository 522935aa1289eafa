/** Adds an attribute to the OpenTelemetry span of a run. */
import assert from 'node:assert/strict'
import { Agent, type Processor } from '@millrace/core'
import { ScriptedModel } from '@millrace/testing'

/** With an OpenTelemetry SDK, `span` is the span of the run. Without one it is undefined, and nothing is loaded. */
const tenant: Processor = {
  id: 'tenant',
  processInput({ tracingContext, requestContext }) {
    tracingContext.span?.setAttribute('app.tenant', requestContext.resourceId ?? 'none')
  },
}

// A real model: openai('gpt-5-mini') from '@ai-sdk/openai'.
const agent = new Agent({ name: 'mill', model: new ScriptedModel(['It turns.']), processors: [tenant] })
const { processors } = await agent.generate('Does it turn?', { resourceId: 'northwind' })
console.log(processors.map(({ processorId, hook, action }) => `${processorId} ${hook} ${action}`))
assert.equal(processors[0]?.action, 'passed')
