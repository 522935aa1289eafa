import { type Tool, tool } from '@millrace/core'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { ToolIndex } from './tool-index.ts'

const descriptions: Record<string, string> = {
  calendar_create_event: 'Puts a meeting into a calendar, with time, place and guests',
  calendar_list_events: 'Lists the meetings of a day or week',
  calendar_find_free_slot: 'Finds a time at which all guests are free',
  contacts_search: 'Finds people in the address book by name',
  contacts_update: 'Changes the phone number or address of a person',
  crm_create_lead: 'Records somebody who may become a customer',
  crm_close_deal: 'Marks a sale as won or lost',
  currency_convert: 'Converts an amount of money from one currency to another',
  db_query: 'Runs a read-only SQL statement and returns rows',
  db_describe_table: 'Shows the columns of a table',
  drive_upload_file: 'Stores a document in the shared folder',
  drive_share_link: 'Makes a document available to others by a link',
  email_send: 'Sends a message to one or more recipients',
  email_search_inbox: 'Finds received messages by sender, subject or text',
  flights_book: 'Buys a plane ticket',
  flights_search: 'Finds plane connections between two airports',
  git_create_branch: 'Begins a new branch in a repository',
  git_open_pull_request: 'Proposes the changes of a branch for review',
  hotel_reserve_room: 'Reserves a room for some nights',
  hr_request_vacation: 'Asks for days off',
  hr_payslip_download: 'Fetches the statement of a month’s salary',
  image_generate: 'Draws a picture from a description',
  image_resize: 'Changes width and height of a picture',
  invoice_create: 'Writes a bill for a customer',
  invoice_send_reminder: 'Reminds a customer of a bill that is overdue',
  maps_directions: 'Says how to get from one place to another',
  news_headlines: 'Brings the latest news on a topic',
  pdf_extract_text: 'Reads the text of a PDF document',
  pdf_merge: 'Joins several PDF documents into one',
  refund_issue: 'Pays money back for an order',
  shipping_track_parcel: 'Says where a parcel is',
  sms_send: 'Sends a short text message to a phone',
  spreadsheet_append_row: 'Adds a row at the end of a sheet',
  stock_quote: 'Says what a share is worth now',
  ticket_assign: 'Gives a support request to an agent',
  ticket_close: 'Ends a support request',
  translate_text: 'Translates a text into another language',
  unit_convert: 'Converts lengths, weights and temperatures',
  user_reset_password: 'Lets somebody choose a new password',
  weather_forecast: 'Says how the weather will be in a city',
}

/** Queries as a model would write them, and the tool they need. */
const queries: [query: string, name: string][] = [
  ['schedule a meeting with the team', 'calendar_create_event'],
  ['what meetings do I have this week', 'calendar_list_events'],
  ['find a time when everybody is free', 'calendar_find_free_slot'],
  ['look up a phone number of a person in the address book', 'contacts_search'],
  ['convert dollars to another currency', 'currency_convert'],
  ['execute SQL', 'db_query'],
  ['columns of a database table', 'db_describe_table'],
  ['upload a file to the shared folder', 'drive_upload_file'],
  ['sharing a document with a link', 'drive_share_link'],
  ['send an email', 'email_send'],
  ['searching my inbox for a message', 'email_search_inbox'],
  ['booking flights', 'flights_book'],
  ['plane connections to Oslo', 'flights_search'],
  ['open a pull request', 'git_open_pull_request'],
  ['reservation of a hotel room', 'hotel_reserve_room'],
  ['take vacation days', 'hr_request_vacation'],
  ['generation of images', 'image_generate'],
  ['resizing a picture', 'image_resize'],
  ['billing: new invoice', 'invoice_create'],
  ['overdue bill reminder', 'invoice_send_reminder'],
  ['directions from one place to another', 'maps_directions'],
  ['latest headlines', 'news_headlines'],
  ['text extraction from PDF', 'pdf_extract_text'],
  ['merging PDFs', 'pdf_merge'],
  ['give a customer their money back, refund', 'refund_issue'],
  ['tracking a package or parcel', 'shipping_track_parcel'],
  ['append rows to a spreadsheet', 'spreadsheet_append_row'],
  ['price of a stock', 'stock_quote'],
  ['assign ticket to agent', 'ticket_assign'],
  ['translation into French', 'translate_text'],
  ['temperature conversion', 'unit_convert'],
  ['password reset', 'user_reset_password'],
  ['weather tomorrow', 'weather_forecast'],
]

const catalogue = Object.fromEntries(
  Object.entries(descriptions).map(([name, description]): [string, Tool] => [
    name,
    tool({ description, inputSchema: z.object({}), execute: () => 'done' }),
  ]),
)

test('finds the tool that is needed, and mostly as the first', () => {
  const index = new ToolIndex(catalogue)
  const ranks = queries.map(([query, name]) =>
    index.search(query, 5).findIndex((found) => found.name === name),
  )
  expect(queries.filter((_, place) => ranks[place] === -1)).toEqual([])
  expect(ranks.filter((rank) => rank === 0).length / queries.length).toBeGreaterThan(0.9)
})

test('finds a tool among thousands', () => {
  const many = Array.from({ length: 5_000 }, (_, n): [string, Tool] => [
    `tool_${n}`,
    { description: `Handles record ${n} of the archive`, inputSchema: z.object({}) },
  ])
  const index = new ToolIndex({ ...Object.fromEntries(many), ...catalogue })
  expect(index.search('record 4711', 1)).toMatchObject([{ name: 'tool_4711' }])
  expect(index.search('weather forecast', 1)).toMatchObject([{ name: 'weather_forecast' }])
})
