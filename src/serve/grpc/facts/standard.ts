/**
 * The messages of the health and reflection services of gRPC, of descriptors, and of Kubernetes' scalars that are messages on the
 * wire; notation.ts says how to read it.
 */
export const standardLines = `# health grpc.health.v1
HealthCheckRequest service:s?#1
HealthCheckResponse status:i?#1
# reflection grpc.reflection.v1
ServerReflectionRequest host:s?#1 fileByFilename=file_by_filename:s^#3 fileContainingSymbol=file_containing_symbol:s^#4 listServices=list_services:s^#7
ServerReflectionResponse validHost=valid_host:s?#1 originalRequest=original_request:ServerReflectionRequest^#2 fileDescriptorResponse=file_descriptor_response:FileDescriptorResponse^#4 listServicesResponse=list_services_response:ListServiceResponse^#6 errorResponse=error_response:ErrorResponse^#7
FileDescriptorResponse fileDescriptorProto=file_descriptor_proto:[B#1
ListServiceResponse service:[ServiceResponse#1
ServiceResponse name:s?#1
ErrorResponse errorCode=error_code:i?#1 errorMessage=error_message:s?#2
# descriptor google.protobuf
FileDescriptorProto name:s^#1 package:s^#2 dependency:[s#3 messageType=message_type:[DescriptorProto#4 service:[ServiceDescriptorProto#6
DescriptorProto name:s^#1 field:[FieldDescriptorProto#2 nestedType=nested_type:[DescriptorProto#3 options:MessageOptions^#7
MessageOptions mapEntry=map_entry:b^#7
FieldDescriptorProto name:s^#1 number:i^#3 label:i^#4 type:i^#5 typeName=type_name:s^#6 jsonName=json_name:s^#10
ServiceDescriptorProto name:s^#1 method:[MethodDescriptorProto#2
MethodDescriptorProto name:s^#1 inputType=input_type:s^#2 outputType=output_type:s^#3 clientStreaming=client_streaming:b^#5 serverStreaming=server_streaming:b^#6
# scalar fairlead.scalar
Time seconds:l^#1 nanos:i^#2
IntOrString type:l^#1 intVal:i^#2 strVal:s^#3
RawJson raw:B^#1
`;
