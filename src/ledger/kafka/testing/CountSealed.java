// A consumer that knows nothing of icecore, by Apache Kafka's own client: counts the rollouts of sealed attempts.
// java -cp 'LIBS/*' CountSealed.java BROKERS PREFIX
import java.time.Duration;
import java.util.*;
import java.util.function.Consumer;
import java.util.regex.*;
import org.apache.kafka.clients.consumer.*;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;

public class CountSealed {
  static final Pattern COUNT = Pattern.compile("\"count\":(\\d+)");

  public static void main(String[] args) {
    Map<String, Long> counts = new HashMap<>();
    readAll(args[0], args[1] + ".sealed", record -> {
      Matcher count = COUNT.matcher(record.value());
      if (!record.key().startsWith("icecore.") && count.find()) counts.put(record.key(), Long.valueOf(count.group(1)));
    });
    Set<String> rollouts = new HashSet<>();
    readAll(args[0], args[1] + ".events", record -> {
      Long count = counts.get(record.key());
      if (count == null || !"icecore.RolloutRecorded".equals(header(record, "ce_type"))) return;
      long revision = Long.parseLong(header(record, "ce_revision"));
      if (revision < count) rollouts.add(record.key() + "@" + revision);
    });
    System.out.println(rollouts.size());
  }

  static void readAll(String brokers, String topic, Consumer<ConsumerRecord<String, String>> take) {
    Properties settings = new Properties();
    settings.put("bootstrap.servers", brokers);
    settings.put("isolation.level", "read_committed");
    try (var consumer = new KafkaConsumer<>(settings, new StringDeserializer(), new StringDeserializer())) {
      List<TopicPartition> partitions =
          consumer.partitionsFor(topic).stream().map(one -> new TopicPartition(topic, one.partition())).toList();
      consumer.assign(partitions);
      consumer.seekToBeginning(partitions);
      var ends = consumer.endOffsets(partitions);
      while (partitions.stream().anyMatch(one -> consumer.position(one) < ends.get(one)))
        for (var record : consumer.poll(Duration.ofSeconds(1))) take.accept(record);
    }
  }

  static String header(ConsumerRecord<String, String> record, String name) {
    var header = record.headers().lastHeader(name);
    return header == null ? null : new String(header.value());
  }
}
