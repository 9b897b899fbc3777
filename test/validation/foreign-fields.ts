// Request fields of other vendors and engines: their published types and documents in November 2026.

const words = (text: string): string[] => text.trim().split(/\s+/);

/** Fields of a request. */
export const foreignFields: readonly string[] = [
  // openai: chat completions, responses, images, audio, videos, files, batches
  ...words(`audio frequency_penalty function_call functions logit_bias logprobs max_completion_tokens max_tokens metadata modalities n
    parallel_tool_calls prediction presence_penalty prompt_cache_key prompt_cache_retention safety_identifier seed service_tier stop store
    stream_options top_logprobs user verbosity web_search_options background context_management conversation include input instructions
    max_output_tokens max_tool_calls previous_response_id prompt reasoning text truncation moderation output_compression output_format
    partial_images quality response_format size style input_fidelity mask image voice speed stream_format chunking_strategy language
    timestamp_granularities known_speaker_names known_speaker_references dimensions encoding_format input_reference seconds
    output_expires_after expires_after purpose`),
  // @anthropic-ai/sdk
  ...words('container inference_geo mcp_servers output_config output_format stop_sequences system thinking top_k betas cache_control'),
  // vLLM
  ...words(`best_of use_beam_search min_p repetition_penalty length_penalty stop_token_ids include_stop_str_in_output ignore_eos min_tokens
    skip_special_tokens spaces_between_special_tokens truncate_prompt_tokens prompt_logprobs allowed_token_ids bad_words echo
    add_generation_prompt continue_final_message add_special_tokens documents chat_template chat_template_kwargs mm_processor_kwargs
    structured_outputs guided_json guided_regex guided_choice guided_grammar guided_decoding_backend guided_whitespace_pattern structural_tag
    priority request_id logits_processors return_tokens_as_token_ids return_token_ids cache_salt kv_transfer_params vllm_xargs
    include_reasoning enable_response_messages max_logprobs media_io_kwargs suffix truncate_dim`),
  // SGLang
  ...words(`regex ebnf stop_regex no_stop_trim lora_path session_params separate_reasoning stream_reasoning rid extra_key bootstrap_host
    bootstrap_port bootstrap_room return_hidden_states custom_logit_processor custom_params sampling_params max_new_tokens
    data_parallel_rank logprob_start_len top_logprobs_num input_ids input_embeds image_data audio_data video_data return_logprob`),
  // llama.cpp and Ollama
  ...words(`cache_prompt id_slot n_predict n_probs t_max_predict_ms typical_p tfs_z mirostat mirostat_tau mirostat_eta dry_multiplier dry_base
    xtc_probability xtc_threshold top_n_sigma grammar json_schema samplers repeat_last_n repeat_penalty dynatemp_range min_keep n_keep
    reasoning_format reasoning_budget num_ctx num_predict keep_alive format options template raw think context images`),
  // gateways and vendors with an API of the same form
  ...words(`provider route transforms models plugins usage top_a preset session_id trace enable_thinking thinking_budget enable_search
    search_options result_format incremental_output vl_high_resolution_images random_seed safe_prompt prompt_mode citation_options
    search_settings exclude_domains include_domains search_parameters deferred stop_words steps guidance_scale negative_prompt watermark`),
  // Cohere, Jina and Voyage: embeddings and rankings
  ...words('top_n return_documents max_tokens_per_doc rank_fields max_chunks_per_doc input_type output_dimension task late_chunking truncate'),
];

/** Fields of messages, items, tools and formats. Programs and other libraries also keep their own fields there. */
export const foreignInnerFields: readonly string[] = [
  ...words(`refusal annotations audio function_call tool_calls reasoning_content reasoning reasoning_details parts prefix partial images
    action queries results code container_id server_label error outputs input tools actions phase created_by acknowledged_safety_checks
    max_output_length environment operation approval_request_id reason approve fingerprint agent author recipient channel end_turn weight
    filters max_num_results ranking_options vector_store_ids search_context_size user_location server_url allowed_tools require_approval
    headers authorization connector_id server_description custom defer_loading allowed_callers output_schema max_uses allowed_domains
    blocked_domains cache_control max_content_tokens display_height_px display_width_px max_characters mcp_server_name configs
    default_config schema verbosity budget_tokens include_thoughts keep display generate_summary max_tokens exclude mode ttl scope
    task_budget stop_reason stop_sequence usage citations container context`),
  ...words(`createdAt updatedAt created_at updated_at experimental_attachments toolInvocations attachments timestamp time date note label kind
    title url file data text ts uid _id user user_id lang`),
];
